import type { Config } from '../../config/schema.ts'

/** Terms with their meanings. */
export type Rows = readonly (readonly [term: string, meaning: string])[]

/** A paragraph, a list, or lines to be shown as they are. */
export type Block = string | { rows: Rows } | { lines: readonly string[] }

/** The settings, where a text depends on them. */
export type TopicText = (config: Config) => readonly Block[]
