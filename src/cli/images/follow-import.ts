import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { CommandError, EXIT, type CliContext } from '../context.ts'
import { progressBar, progressOn } from '../render/progress.ts'
import { whyWaiting } from './image-report.ts'

/** What is followed, and until when. */
export interface Followed {
  readonly client: Pick<Client, 'get'>
  readonly key: { readonly namespace: string; readonly name: string }
  /** Milliseconds since the epoch. */
  readonly deadline: number
  /** Whether it has got there. */
  readonly holds: (dataVolume: DataVolume) => boolean
  /** What to say after Ctrl-C and a time-out: what goes on, and how to see it. */
  readonly meanwhile: string
  /** What to do after a failure. */
  readonly remedy: string
  /** A DataVolume that is not there yet is waited for; otherwise its absence is an error. */
  readonly mayComeLater?: boolean
}

const pollMs = 300

/**
 * Shows the progress of a DataVolume on standard error until it has got somewhere.
 * @throws CommandError if it fails, at the deadline, and after Ctrl-C, which stops nothing
 */
export async function followDataVolume(context: CliContext, followed: Followed): Promise<DataVolume> {
  const { client, key, holds, meanwhile, remedy, mayComeLater = false } = followed
  using progress = progressOn(context)
  let restarts = 0
  for (;;) {
    const dataVolume = await found(client.get(dataVolumes, key))
    if (dataVolume === undefined && !mayComeLater)
      throw new CommandError(`The DataVolume "${key.namespace}/${key.name}" has been deleted while it was filled`)
    if (dataVolume !== undefined && holds(dataVolume)) return dataVolume
    const { phase = 'Pending', restartCount = 0 } = dataVolume?.status ?? {}
    const why = whyWaiting(dataVolume)
    if (phase === 'Failed')
      throw new CommandError(`The import into "${key.namespace}/${key.name}" has failed${why === '' ? '' : `: ${why}`}; ${remedy}`)
    if (restartCount > restarts) {
      restarts = restartCount
      progress[Symbol.dispose]()
      context.process.stderr.write(`note: attempt ${restartCount} has failed, and it is tried again${why === '' ? '' : `: ${why}`}\n`)
    }
    progress.show(describeProgress(key.name, dataVolume))
    if (context.signal.aborted) throw new CommandError(`Interrupted at ${phase}: ${meanwhile}`)
    if (context.now() >= followed.deadline)
      throw new CommandError(`Timed out at ${phase}${why === '' ? '' : ` (${why})`}: ${meanwhile}`, EXIT.timeout)
    await context.sleep(pollMs)
  }
}

/** Renders the line of a DataVolume, with a bar once it says how far it is. Pure. */
export function describeProgress(name: string, dataVolume: DataVolume | undefined): string {
  const { phase = 'Pending', progress = '' } = dataVolume?.status ?? {}
  const percent = Number.parseFloat(progress)
  return Number.isNaN(percent) ? `${name}: ${phase}` : `${name}: ${phase} ${progressBar(Math.min(percent, 100), 100)}`
}
