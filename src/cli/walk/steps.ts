import type { CliContext } from '../context.ts'
import { paintFor, formatDuration, table } from '../render/terminal.ts'

/** Prints numbered steps with their results and durations to standard output. */
export interface Walkthrough {
  /** Runs one step and prints the lines that `act` returns. */
  step(title: string, act: () => Promise<readonly string[]>): Promise<void>
  /** Renders a table of all steps and their durations. */
  summary(): string
}

/** Creates a walkthrough that prints to the context's standard output. */
export function createWalkthrough(context: CliContext): Walkthrough {
  const paint = paintFor(context, 'stdout')
  const { stdout } = context.process
  const done: { title: string; ms: number }[] = []
  return {
    async step(title, act) {
      const number = done.length + 1
      stdout.write(`\n${paint('bold', `${number}. ${title}`)}\n`)
      const started = context.now()
      const lines = await act()
      const ms = context.now() - started
      for (const line of lines) stdout.write(`   ${line}\n`)
      stdout.write(`   ${paint('green', 'done')} in ${formatDuration(ms)}\n`)
      done.push({ title, ms })
    },
    summary() {
      const total = done.reduce((sum, { ms }) => sum + ms, 0)
      return table([
        ['STEP', 'TOOK'],
        ...done.map(({ title, ms }, index) => [`${index + 1}. ${title}`, formatDuration(ms)]),
        ['total', formatDuration(total)],
      ])
    },
  }
}
