import { StatusError } from '#apimachinery/errors.ts'
import { takeReport, type RevisionReport } from '#features/revision-report/index.ts'
import { connectChosenCluster, type ChosenCluster, type ClusterFlags } from '../cluster/connect.ts'
import { CommandError, EXIT, type CliContext } from '../context.ts'
import { paintFor } from '../render/terminal.ts'
import { print, type OutputFormat } from '../render/print.ts'
import { progressBar, progressOn, type Progress } from '../render/progress.ts'
import { renderRevisions } from '../render/revisions.ts'

interface Flags extends ClusterFlags {
  readonly watch: boolean
  readonly timeout: number
  readonly namespace?: string
  readonly allNamespaces: boolean
  readonly output: OutputFormat
}

/**
 * Says how the copies of instance types and preferences are. Exit code 2 when something is not as
 * it should be, 1 when that cannot be told.
 */
export async function report(this: CliContext, flags: Flags): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  using progress = progressOn(this)
  const namespace = flags.allNamespaces ? undefined : flags.namespace
  const read = readerOf(this, cluster, { flags, progress })
  const found = flags.watch ? await watch(this, () => read(namespace), { flags, progress }) : await read(namespace)
  progress[Symbol.dispose]()
  print(this, flags.output, {
    kind: 'RevisionReport',
    document: found,
    names: [...new Set(found.findings.map(nameOf))],
    text: (isWide) => renderRevisions(found, { isWide, paint: paintFor(this, 'stdout'), nowMs: this.now() }),
  })
  this.process.exitCode = exitCodeOf(found, { isNarrow: flags.namespace !== undefined })
}

/** What lies outside of a namespace that was asked for is no reason to be unsure. */
function exitCodeOf({ findings, versions, gaps }: RevisionReport, { isNarrow }: { readonly isNarrow: boolean }): number {
  const isStored = versions.some(({ blockers }) => blockers.some(({ reason }) => reason === 'StoredObjects'))
  if (findings.length > 0 || isStored) return EXIT.findings
  return gaps.length > 0 && !isNarrow ? EXIT.error : EXIT.ok
}

/** What is missing has no name of its own: it is the object that names it that can be looked at. */
function nameOf({ state, revision, referrers }: RevisionReport['findings'][number]): string {
  const [first] = referrers
  if (state !== 'missing' || first === undefined) return `controllerrevision.apps/${revision}`
  const [kind = '', name = ''] = first.subject.split('/')
  return `${resources[kind] ?? kind}/${name}`
}

const resources: Readonly<Record<string, string>> = {
  vm: 'virtualmachine.kubevirt.io',
  vmi: 'virtualmachineinstance.kubevirt.io',
  vmsnapshot: 'virtualmachinesnapshot.snapshot.kubevirt.io',
  vmsnapshotcontent: 'virtualmachinesnapshotcontent.snapshot.kubevirt.io',
}

interface Reading {
  readonly flags: Flags
  readonly progress: Progress
}

type Read = (namespace: string | undefined) => Promise<RevisionReport>

function readerOf(context: CliContext, { client, namespace: own }: ChosenCluster, { flags, progress }: Reading): Read {
  const read: Read = async (namespace) => {
    return takeReport(client, {
      ...(namespace === undefined ? {} : { namespace }),
      signal: context.signal,
      ...(flags.watch ? {} : { onProgress: (objects) => progress.show(`${objects} objects read`) }),
      nowMs: context.now(),
    })
  }
  let narrowTo: string | undefined
  return async (namespace) => {
    try {
      return await read(namespace ?? narrowTo)
    } catch (error) {
      const mayNarrow = error instanceof StatusError && error.reason === 'Forbidden' && !flags.allNamespaces
      if (!mayNarrow || namespace !== undefined || narrowTo !== undefined) throw error
      narrowTo = own
      context.process.stderr.write(`warning: only namespace "${own}" is looked at: ${error.message}\n`)
      return read(own)
    }
  }
}

/** Milliseconds between two looks; four times as long as a look takes, when that is more. */
const interval = 1_000

/**
 * Looks again and again until the controllers have nothing left to do. What only people can settle
 * is not waited for. @throws CommandError
 */
async function watch(context: CliContext, read: () => Promise<RevisionReport>, { flags, progress }: Reading): Promise<RevisionReport> {
  const limit = context.now() + flags.timeout * 1000
  let most = 0
  for (;;) {
    const started = context.now()
    const found = await read()
    const left = found.findings.filter(({ settledBy }) => settledBy === 'controller').length
    most = Math.max(most, left)
    if (left === 0) return found
    progress.show(`${progressBar(most - left, most)} ${left} of ${found.revisions} revisions to bring to ${found.wanted.version}`)
    if (context.now() > limit) {
      throw new CommandError(`${left} revisions were not up to date after ${flags.timeout} s: see "steadyvm revisions"`, EXIT.timeout)
    }
    await context.sleep(Math.max(interval, 4 * (context.now() - started)))
    context.signal.throwIfAborted()
  }
}
