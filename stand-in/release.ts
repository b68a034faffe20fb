/** The release that this program imitates. test/conformance compares the two. */
export const claudeVersion = '2.1.325'
export const modelId = 'claude-opus-5-5'
