/** The colours of a terminal window, and the sixteen colours that a terminal lets its user choose. */
export interface Theme {
  frame: string
  bar: string
  text: string
  title: string
  sixteen: readonly string[]
}

export const dark: Theme = {
  frame: '#1b1e26',
  bar: '#262a34',
  text: '#d7dae0',
  title: '#8b93a5',
  sixteen: [
    ...['#3b4252', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d7dae0'],
    ...['#6b7280', '#f28b94', '#b5e08f', '#f2d28b', '#8cc8ff', '#dba2ee', '#7fd3de', '#ffffff'],
  ],
}

export const light: Theme = {
  frame: '#ffffff',
  bar: '#e4e7ec',
  text: '#24292f',
  title: '#57606a',
  sixteen: [
    ...['#24292f', '#cf222e', '#116329', '#4d2d00', '#0969da', '#8250df', '#1b7c83', '#6e7781'],
    ...['#57606a', '#a40e26', '#1a7f37', '#633c01', '#218bff', '#a475f9', '#3192aa', '#8c959f'],
  ],
}
