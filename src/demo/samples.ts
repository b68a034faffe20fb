/** The repos of the demo, by name, with their files. */
export const sampleRepos: Record<string, Record<string, string>> = {
  lemonade: {
    'README.md': '# lemonade\n\nA stand, a table, and what is sold there.\n',
    'menu.txt': 'lemonade      2.00\nmint tea      1.50\n',
  },
  weather: {
    'README.md': '# weather\n\nWhat it will be like, a line a day.\n',
    'forecast.csv': 'friday,18\nsaturday,21\nsunday,294\n',
    'check.sh': `while IFS=, read -r day degrees; do
  if [ "$degrees" -gt 60 ]; then echo "$day: $degrees degrees, that is kelvin"; fi
done <forecast.csv
`,
  },
}
