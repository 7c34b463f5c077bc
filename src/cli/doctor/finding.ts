import { EXIT, type CliContext } from '#cli/context.ts'
import { paintFor, table } from '#cli/render/terminal.ts'

/** Result of one check. `bad`: VMs cannot run; `warn`: they run slower, or fewer of them. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'bad'
  readonly detail: string
}

/** Prints the results of all checks, and sets exit code 2 when a requirement is not met. */
export function printFindings(context: CliContext, findings: readonly Finding[], output: 'text' | 'json'): void {
  const paint = paintFor(context, 'stdout')
  const colour = { ok: 'green', warn: 'yellow', bad: 'red' } as const
  const rows = findings.map(({ check, state, detail }) => [check, paint(colour[state], state.padEnd(4)), detail])
  context.process.stdout.write(output === 'json' ? `${JSON.stringify(findings, null, 2)}\n` : table(rows))
  if (findings.some(({ state }) => state === 'bad')) context.process.exitCode = EXIT.findings
}
