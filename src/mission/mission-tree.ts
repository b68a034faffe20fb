import type { MissionId } from '../mission-id.ts'

interface Related {
  id: MissionId
  parent: MissionId | null
}

/** Of a longer chain, which forks of forks may have, only the last levels are drawn. */
const widestLines = 15

/**
 * Puts every mission below its parent, and otherwise keeps the order. A mission whose parent is not among them is at the
 * top. `lines` are drawn before the mission.
 */
export function missionTree<M extends Related>(missions: readonly M[]): { item: M; lines: string }[] {
  const known = new Set(missions.map(({ id }) => id))
  const children = new Map<MissionId | null, M[]>()
  for (const mission of missions) {
    const parent = mission.parent !== null && known.has(mission.parent) ? mission.parent : null
    const siblings = children.get(parent) ?? []
    siblings.push(mission)
    children.set(parent, siblings)
  }
  const placed = new Set<MissionId>()
  const tree: { item: M; lines: string }[] = []
  const place = (item: M, lines: string, indent: string) => {
    if (placed.has(item.id)) return
    placed.add(item.id)
    tree.push({ item, lines: lines.slice(-widestLines) })
    const below = children.get(item.id) ?? []
    for (const [index, child] of below.entries()) {
      const isLast = index === below.length - 1
      place(child, `${indent}${isLast ? '└─ ' : '├─ '}`, `${indent}${isLast ? '   ' : '│  '}`)
    }
  }
  for (const top of children.get(null) ?? []) place(top, '', '')
  // A store that was edited by hand may name missions as each other's parents.
  for (const mission of missions) place(mission, '', '')
  return tree
}
