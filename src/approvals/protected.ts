/** Files through which a later, harmless looking command runs something else. A rule has to name them. */
const protectedNames = new Set(
  `.git .gitmodules .gitconfig .claude .claude.json .mcp.json .husky .vscode .idea .envrc .ssh .bashrc
  .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .zlogin .config`.split(/\s+/),
)

/** The protected name on the path, or null. */
export function protectedIn(path: string): string | null {
  return path.split('/').find(name => protectedNames.has(name.toLowerCase())) ?? null
}
