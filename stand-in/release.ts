/** The release whose behaviour this program follows; test/conformance holds it to that. */
export const claudeVersion = '2.1.325'
export const modelId = 'claude-opus-5-5'
