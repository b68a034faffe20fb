/** The files of a repo, by path. */
export type Sample = Record<string, string>

/** The repos of the tour. */
export const tourSamples: Record<string, Sample> = {
  'demo/lemonade': {
    'README.md': '# lemonade\n\nA stand, a table, and what is sold there.\n',
    'menu.txt': 'lemonade      2.00\nmint tea      1.50\n',
  },
  'demo/weather': {
    'README.md': '# weather\n\nWhat it will be like, a line a day.\n',
    'forecast.csv': 'friday,18\nsaturday,21\nsunday,294\n',
    'check.sh': `while IFS=, read -r day degrees; do
  if [ "$degrees" -gt 60 ]; then echo "$day: $degrees degrees, that is kelvin"; fi
done <forecast.csv
`,
  },
}
