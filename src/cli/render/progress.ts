import type { CliContext } from '../context.ts'

/** A status line for long commands. Disposing it clears the line. */
export interface Progress extends Disposable {
  show(what: string): void
}

/** Milliseconds before the first status line, and between two. */
const patience = 1_000
const interval = 200

/**
 * Writes progress to standard error when that is a terminal, once a command takes longer than 1 s.
 */
export function progressOn(context: CliContext): Progress {
  const { stderr } = context.process
  const started = context.now()
  let last = started
  let isShown = false
  return {
    show(what) {
      const now = context.now()
      if (stderr.isTTY !== true || now - started < patience || now - last < interval) return
      last = now
      isShown = true
      stderr.write(`\r\u001B[K${what}`)
    },
    [Symbol.dispose]() {
      if (isShown) stderr.write('\r\u001B[K')
    },
  }
}

/** Renders `[######--------------]  30 %`. A total of 0 counts as done. */
export function progressBar(done: number, total: number): string {
  const share = total === 0 ? 1 : done / total
  const filled = Math.floor(share * barWidth)
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}] ${String(Math.floor(share * 100)).padStart(3)} %`
}

const barWidth = 20
