import type { CoreEvent } from '#api/core/v1/event.ts'
import { events as coreEvents } from '#api/core/v1/resources.ts'
import { virtualMachineInstanceMigrations } from '#api/kubevirt/v1/resources.ts'
import { isForbidden } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, type CliContext } from '#cli/context.ts'
import { occurrenceOf, occurrenceTypes, type Conditioned, type Occurrence } from '#cli/events/occurrence.ts'
import { renderHistory, renderLine } from '#cli/events/render.ts'
import {
  changesOf,
  historyOf,
  isShown,
  narrowToWatchable,
  readAccess,
  readStored,
  vmiFinder,
  type Access,
  type Scope,
} from '#cli/events/sources.ts'
import { isAbout, parseSubject, type Subject } from '#cli/events/subject.ts'
import { documentVersion, print, type OutputFormat } from '#cli/render/print.ts'
import { createInformer } from '#runtime/cache/informer.ts'
import { systemClock, timestamp } from '#runtime/clock/clock.ts'
import { silentLogger } from '#runtime/process/log.ts'

interface Flags extends ClusterFlags {
  readonly for?: string
  readonly types?: readonly string[]
  readonly watch: boolean
  readonly namespace?: string
  readonly allNamespaces: boolean
  readonly output: OutputFormat
}

/** Shows events and changes of conditions: what has occurred, and with --watch what occurs. */
export async function events(this: CliContext, flags: Flags): Promise<void> {
  if (flags.watch && flags.output === 'yaml') throw new CommandError('--watch prints text, wide, name or json: choose one of them')
  const subject = flags.for === undefined ? undefined : parseSubject(flags.for)
  using cluster = await connectChosenCluster(this, flags)
  const scope: Scope = { ...(flags.allNamespaces ? {} : { namespace: flags.namespace ?? cluster.namespace }), signal: this.signal }
  const listable = await readAccess(cluster.client, scope)
  const access = flags.watch ? await narrowToWatchable(cluster.client, listable, scope) : listable
  if (access.forbidden.length > 0)
    this.process.stderr.write(
      `warning: you may not ${flags.watch ? 'list and watch' : 'list'} ${access.forbidden.join(', ')}: changes of their conditions are left out\n`,
    )
  const show: Show = { context: this, flags, subject, types: flags.types ?? occurrenceTypes }
  try {
    await (flags.watch ? follow(cluster.client, show, access, scope) : list(cluster.client, show, access, scope))
  } catch (error) {
    // Ctrl-C ends --watch.
    if (flags.watch && this.signal.aborted) return
    if (!isForbidden(error)) throw error
    const place = scope.namespace === undefined ? 'of all namespaces' : `in namespace "${scope.namespace}"`
    throw new CommandError(`You may not list events ${place}: that takes the right "list" on "events"`, undefined, { cause: error })
  }
}

interface Show {
  readonly context: CliContext
  readonly flags: Flags
  readonly subject: Subject | undefined
  readonly types: readonly string[]
}

type VmiOf = (namespace: string, migration: string) => string | undefined

function isWanted({ subject, types }: Show, one: Occurrence, vmiOf: VmiOf): boolean {
  return types.includes(one.type) && (subject === undefined || isAbout(subject, one, vmiOf))
}

async function list(client: Client, show: Show, access: Access, scope: Scope): Promise<void> {
  const { context, flags } = show
  const stored = await readStored(client, access, scope)
  const vmiOf = vmiFinder(stored)
  const found = historyOf(stored).filter((one) => isWanted(show, one, vmiOf))
  print(context, flags.output, {
    kind: 'OccurrenceList',
    document: { items: found },
    names: found.map(nameOf),
    text: (isWide) =>
      found.length === 0
        ? `No events and no changes of conditions${scope.namespace === undefined ? '' : ` in namespace "${scope.namespace}"`}.\n`
        : renderHistory(found, { isWide, withNamespace: flags.allNamespaces }, context.now()),
  })
}

/** Prints what has occurred, and then each occurrence when it is seen, until Ctrl-C. */
async function follow(client: Client, show: Show, access: Access, scope: Scope): Promise<void> {
  const { context } = show
  const { namespace, signal = context.signal } = scope
  const selection = namespace === undefined ? {} : { namespace }
  const shared = { client, selection, clock: systemClock, log: silentLogger }
  const told = createInformer({ ...shared, resource: coreEvents })
  const kinds = access.readable.map((resource) => ({ kind: resource.kind, informer: createInformer({ ...shared, resource }) }))
  // An informer repeats what fails for ever: what may not be read is said at once.
  await client.list(coreEvents, { ...scope, limit: 1 })
  const running = Promise.all([told, ...kinds.map(({ informer }) => informer)].map((informer) => informer.run(signal)))
  await Promise.all([told, ...kinds.map(({ informer }) => informer)].map((informer) => informer.synced(signal)))
  const objects = (): ReadonlyMap<string, readonly Conditioned[]> => new Map(kinds.map(({ kind, informer }) => [kind, informer.list()]))
  const tell = (all: readonly Occurrence[]): void => {
    const vmiOf = vmiFinder({ objects: objects() })
    for (const one of all) if (isWanted(show, one, vmiOf)) write(show, one)
  }
  tell(historyOf({ objects: objects(), events: told.list() }))
  // Listeners are told at once of what is there already, which is printed.
  let isReplay = true
  told.onEvent((change) => {
    if (isReplay || change.type === 'deleted' || !isShown(change.object)) return
    if (change.type === 'added' || hasOccurredAgain(change.old, change.object)) tell([occurrenceOf(change.object)])
  })
  for (const { kind, informer } of kinds)
    informer.onEvent((change) => {
      if (isReplay || change.type === 'deleted') return
      const old = change.type === 'updated' ? change.old : undefined
      tell(changesOf(kind, old, change.object, timestamp(context.now())))
      // Its events may have been seen before it was known whose migration it is.
      if (old === undefined && kind === virtualMachineInstanceMigrations.kind && show.subject !== undefined)
        tell(
          told
            .list()
            .filter(({ involvedObject }) => involvedObject.uid === change.object.metadata?.uid)
            .map(occurrenceOf),
        )
    })
  isReplay = false
  await running
}

function hasOccurredAgain(old: CoreEvent, event: CoreEvent): boolean {
  const [before, after] = [occurrenceOf(old), occurrenceOf(event)]
  return before.time !== after.time || before.count !== after.count
}

function write({ context, flags: { output, allNamespaces } }: Show, one: Occurrence): void {
  const text = (): string => {
    if (output === 'json') return `${JSON.stringify({ apiVersion: documentVersion, kind: 'Occurrence', ...one })}\n`
    return output === 'name' ? `${nameOf(one)}\n` : renderLine(one, { isWide: output === 'wide', withNamespace: allNamespaces })
  }
  context.process.stdout.write(text())
}

function nameOf({ object: { kind, name } }: Occurrence): string {
  return `${kind.toLowerCase()}/${name}`
}
