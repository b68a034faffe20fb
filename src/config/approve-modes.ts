/** The values of `--approve`: which permission requests agenc may answer in the user's place. */
export const approveModes = ['ask', 'rules', 'all'] as const

export type Approve = (typeof approveModes)[number]

/** `ask, rules or all`, for help texts. */
export const approveModesInWords = `${approveModes.slice(0, -1).join(', ')} or ${approveModes.at(-1)}`
