import lockfile from 'proper-lockfile'

export const { lock } = lockfile
