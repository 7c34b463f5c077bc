import { StatusError } from '#apimachinery/errors.ts'
import { takeReport, type RevisionReport } from '#features/revision-report/index.ts'
import { connectChosenCluster, type ChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { paintFor } from '#cli/render/terminal.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { progressBar, progressOn, type Progress } from '#cli/render/progress.ts'
import { renderRevisions } from '#cli/render/revisions.ts'

interface Flags extends ClusterFlags {
  readonly watch: boolean
  readonly timeout: number
  readonly namespace?: string
  readonly allNamespaces: boolean
  readonly output: OutputFormat
}

/**
 * Reports the state of the ControllerRevisions of instance types and preferences. Exit code 2 for
 * findings, 1 when the report is incomplete.
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

/** Objects outside of the requested namespace do not make the report incomplete. */
function exitCodeOf({ findings, versions, gaps }: RevisionReport, { isNarrow }: { readonly isNarrow: boolean }): number {
  const isStored = versions.some(({ blockers }) => blockers.some(({ reason }) => reason === 'StoredObjects'))
  if (findings.length > 0 || isStored) return EXIT.findings
  return gaps.length > 0 && !isNarrow ? EXIT.error : EXIT.ok
}

/** A missing revision has no object to show, so its referrer is named. */
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

/** Milliseconds between two reports; four times the duration of a report when that is longer. */
const interval = 1_000

/**
 * Repeats the report until the controllers are done. Does not wait for findings that need an
 * administrator. @throws CommandError
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
