import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** State of the source that images are built from. */
export interface SourceRevision {
  /** Undefined outside of a git checkout. */
  readonly commit?: string
  /** True if tracked files differ from the commit, untracked ones exist, or there is no commit. */
  readonly isDirty: boolean
  /** Time that all files of an image get: SOURCE_DATE_EPOCH, or the time of the commit. */
  readonly created: Date
}

/** The time of the source is unknown. The message names the remedy. */
export class RevisionUnknown extends Error {
  override readonly name = 'RevisionUnknown'
}

/**
 * Reads the commit of a checkout. `sourceDateEpoch` is the variable of reproducible builds, in
 * seconds. @throws RevisionUnknown
 */
export async function readSourceRevision(root: string, sourceDateEpoch: string | undefined): Promise<SourceRevision> {
  const [log, state] = await Promise.all([git(root, 'log', '-1', '--format=%H %ct'), git(root, 'status', '--porcelain')])
  const [commit, seconds] = log.output?.trim().split(' ') ?? []
  const epoch = sourceDateEpoch === undefined || sourceDateEpoch === '' ? seconds : sourceDateEpoch
  if (epoch === undefined)
    throw new RevisionUnknown(
      `Cannot find the commit of "${root}", whose time files in images get: git says "${log.problem}". Set SOURCE_DATE_EPOCH to a time in seconds`,
    )
  if (!/^\d{1,11}$/.test(epoch)) throw new RevisionUnknown(`SOURCE_DATE_EPOCH is "${epoch}": it must be a number of seconds since 1970`)
  return { ...(commit === undefined ? {} : { commit }), isDirty: state.output?.trim() !== '', created: new Date(Number(epoch) * 1000) }
}

async function git(root: string, ...args: readonly string[]): Promise<{ readonly output?: string; readonly problem: string }> {
  // The time stamps of the index are not refreshed, since another process may use the checkout.
  const options = { env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' }, maxBuffer: 1 << 26 }
  return promisify(execFile)('git', ['-C', root, ...args], options).then(
    ({ stdout }) => ({ output: stdout, problem: '' }),
    (error: Error & { readonly stderr?: string }) => ({ problem: (error.stderr?.trim() || error.message).split('\n')[0] ?? '' }),
  )
}
