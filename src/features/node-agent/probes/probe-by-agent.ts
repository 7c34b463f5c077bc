import type { Probe } from '#api/kubevirt/v1/probe.ts'
import type { GuestAgent } from '#qemu/index.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import type { Guest } from '../guest/guest.ts'

/** Asks the agent in a guest. */
export type AskAgent = <T>(guest: Guest, question: (agent: GuestAgent) => Promise<T>) => Promise<T>

/** Milliseconds between questions whether a command has ended. */
const pollMs = 200

/**
 * Probes a guest once: by a command that has to end with exit code 0, or by a ping of its agent.
 * Returns why it failed; undefined for success. Answers of the guest are not trusted.
 */
export async function probeByAgent(
  clock: Clock,
  ask: <T>(question: (agent: GuestAgent) => Promise<T>) => Promise<T>,
  { exec, timeoutSeconds = 1 }: Probe,
  signal: AbortSignal,
): Promise<string | undefined> {
  const limit = new AbortController()
  using _timer = clock.after(timeoutSeconds * 1000, () => limit.abort())
  const late = new Promise<string>((resolve) =>
    limit.signal.addEventListener('abort', () => resolve(`no answer of the guest within ${timeoutSeconds} s`)),
  )
  const either = AbortSignal.any([signal, limit.signal])
  const command = exec?.command
  const answer = command === undefined ? ping(ask) : execute(clock, ask, command, either)
  return await Promise.race([late, answer.catch((error: unknown) => (error instanceof Error ? error.message : String(error)))])
}

async function ping(ask: <T>(question: (agent: GuestAgent) => Promise<T>) => Promise<T>): Promise<undefined> {
  await ask((agent) => agent.execute('guest-ping'))
}

async function execute(
  clock: Clock,
  ask: <T>(question: (agent: GuestAgent) => Promise<T>) => Promise<T>,
  [path = '', ...args]: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const started = fieldsOf(await ask((agent) => agent.execute('guest-exec', { path, arg: args, 'capture-output': true })))
  const pid = started['pid']
  for (;;) {
    const status = fieldsOf(await ask((agent) => agent.execute('guest-exec-status', { pid })))
    if (status['exited'] === true) return verdictOf(status)
    await clock.sleep(pollMs, signal)
  }
}

function verdictOf(status: Readonly<Record<string, unknown>>): string | undefined {
  const { exitcode, signal } = status
  if (exitcode === 0) return undefined
  const how = typeof exitcode === 'number' ? `ended with exit code ${exitcode}` : `was killed by signal ${String(signal)}`
  const output = [status['out-data'], status['err-data']].map((data) =>
    typeof data === 'string' ? Buffer.from(data, 'base64').toString() : '',
  )
  const [line = ''] = output.join('\n').trim().split('\n')
  return `the command in the guest ${how}${line === '' ? '' : `: ${line}`}`
}

function fieldsOf(answer: unknown): Readonly<Record<string, unknown>> {
  return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {}
}
