export const sourcesHashFile: string
export function sourcesHash(root: string): string
