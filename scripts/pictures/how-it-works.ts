interface Box {
  x: number
  y: number
  width: number
  height: number
  title: string
  lines?: string[]
  kind?: 'frame' | 'strong'
}

interface Arrow {
  path: string
  label?: { x: number; y: number; text: string }
}

const boxes: Box[] = [
  { x: 20, y: 20, width: 200, height: 84, title: 'you', lines: ['one terminal, or several', 'prefix a …'] },
  {
    x: 280,
    y: 20,
    width: 660,
    height: 246,
    title: 'tmux session “agenc”, on your own server',
    kind: 'frame',
  },
  ...['login', 'node 22', 'dark mode'].flatMap((name, index) => mission(name, 300 + index * 210)),
  {
    x: 280,
    y: 330,
    width: 270,
    height: 84,
    title: 'working copies',
    lines: ['~/.agenc/missions/…/agent', 'one per mission, yours to push'],
  },
  {
    x: 670,
    y: 330,
    width: 270,
    height: 84,
    title: 'store',
    lines: ['~/.agenc/database.sqlite', 'missions, states, leases'],
  },
  {
    x: 20,
    y: 330,
    width: 200,
    height: 84,
    title: 'repo library',
    lines: ['~/.agenc/repos', 'one bare clone per repo'],
  },
]

function mission(name: string, x: number): Box[] {
  return [
    { x, y: 62, width: 190, height: 190, title: `window: ${name}`, kind: 'frame' },
    { x: x + 14, y: 98, width: 162, height: 62, title: 'wrapper', lines: ['signals, state, exit'] },
    {
      x: x + 14,
      y: 182,
      width: 162,
      height: 56,
      title: 'claude',
      lines: ['the real program'],
      kind: 'strong',
    },
  ]
}

const arrows: Arrow[] = [
  { path: 'M220 62H276', label: { x: 248, y: 54, text: 'attach' } },
  ...[395, 605, 815].map(x => ({ path: `M${x} 160V178` })),
  { path: 'M395 238V326', label: { x: 402, y: 302, text: 'works in' } },
  { path: 'M896 129H928V326', label: { x: 846, y: 302, text: 'reports to' } },
  { path: 'M220 372H276', label: { x: 248, y: 364, text: 'copy' } },
]

const colours = {
  frame: '#1b1e26',
  box: '#262a34',
  line: '#5b6475',
  text: '#d7dae0',
  quiet: '#8b93a5',
  strong: '#d77757',
}

export function howItWorksSvg(): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 434" width="960" height="434" role="img">
<title>How agenc works</title>
<desc>Made by npm run pictures</desc>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8Z" fill="${colours.quiet}"/></marker></defs>
<rect width="960" height="434" rx="10" fill="${colours.frame}"/>
<g font-family="ui-sans-serif, system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" font-size="13" fill="${colours.text}">
${[...boxes.map(drawBox), ...arrows.map(drawArrow)].join('\n')}
</g>
</svg>
`
}

function drawBox({ x, y, width, height, title, lines = [], kind }: Box): string {
  const fill = kind === 'frame' ? 'none' : colours.box
  const stroke = kind === 'strong' ? colours.strong : colours.line
  const words = lines.map((line, index) => text(x + 12, y + 44 + index * 19, line, colours.quiet))
  return [
    `<rect x="${x + 0.5}" y="${y + 0.5}" width="${width}" height="${height}" rx="6" fill="${fill}" stroke="${stroke}"/>`,
    text(x + 12, y + 24, title, kind === 'strong' ? colours.strong : colours.text, 'bold'),
    ...words,
  ].join('\n')
}

function drawArrow({ path, label }: Arrow): string {
  const line = `<path d="${path}" fill="none" stroke="${colours.quiet}" stroke-width="1.5" marker-end="url(#tip)"/>`
  if (!label) return line
  const anchor = path.includes('V') ? 'start' : 'middle'
  return `${line}\n<text x="${label.x}" y="${label.y}" font-size="12" text-anchor="${anchor}" fill="${colours.quiet}">${label.text}</text>`
}

function text(x: number, y: number, words: string, fill: string, weight = 'normal'): string {
  return `<text x="${x}" y="${y}" fill="${fill}" font-weight="${weight}">${words}</text>`
}
