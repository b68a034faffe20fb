const sameQuestionMs = 10_000

/** Two hooks report each question, and Claude may ask again what was just rejected. */
export class RecentQuestions {
  readonly #askedAtMs = new Map<string, number>()

  isNew(text: string, nowMs: number): boolean {
    for (const [known, atMs] of this.#askedAtMs)
      if (nowMs - atMs >= sameQuestionMs) this.#askedAtMs.delete(known)
    if (this.#askedAtMs.has(text)) return false
    this.#askedAtMs.set(text, nowMs)
    return true
  }
}
