import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Family } from '#features/instancetype/index.ts'
import type { AssessedRevision, Missing } from './assess-revisions.ts'
import { unknownVersion } from './inspect-revision.ts'
import { deleteCommand, awaitDeletionCommand, replaceCommand, waitCommand, type ObjectName } from './remediation.ts'
import type { Finding, Referrer } from '../types.ts'

/** Objects for the commands of findings, and live objects that a missing copy may be of. */
export interface Surroundings {
  readonly kubevirt: ObjectName
  /** Live instance types and preferences. */
  readonly live: readonly KubeObject[]
}

/** Returns all findings, sorted by namespace and name. */
export function findingsOf(judged: readonly AssessedRevision[], missing: readonly Missing[], related: Surroundings): Finding[] {
  const live = new Set(related.live.map(({ metadata }) => `${metadata?.uid ?? ''}-${metadata?.generation ?? 0}`))
  const findings = [...judged.flatMap((one) => findingOf(one, related)), ...missing.map((one) => missingFinding(one, live, related))]
  return findings.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
}

function placeOf({ namespace, revision }: Finding): string {
  return `${namespace}/${revision}`
}

function findingOf(judged: AssessedRevision, { kubevirt }: Surroundings): Finding[] {
  const { revision, kept, state, referrers, isLookedAfter } = judged
  if (state === 'current') return []
  const { namespace = '', name = '' } = revision.metadata
  const isLeftToController = isLookedAfter && state !== 'undecodable'
  return [
    {
      state,
      namespace,
      revision: name,
      family: kept.family,
      ...(kept.version === unknownVersion ? {} : { version: kept.version }),
      message: messageOf(judged, { isLeftToController }),
      referrers,
      settledBy: isLeftToController ? 'controller' : 'user',
      command: isLeftToController ? waitCommand(kubevirt) : ownRemedy(judged),
    },
  ]
}

function messageOf(
  { kept, state, message, called, referrers, isGoing }: AssessedRevision,
  { isLeftToController }: { isLeftToController: boolean },
): string {
  if (isGoing) return message
  if (referrers.length > 0) return state === 'undecodable' ? `${message}${proviso(kept.family, called, referrers)}` : message
  return `${message}; nothing refers to it${kept.shared && isLeftToController ? ', and it is collected within minutes' : ''}`
}

function ownRemedy({ revision, referrers, isGoing }: AssessedRevision): string {
  const { namespace = '', name = '' } = revision.metadata
  if (isGoing) return awaitDeletionCommand({ namespace, name })
  return replaceCommand(namespace, referrers) ?? deleteCommand({ namespace, name })
}

/** Returns what must exist before a VM can be refreshed. */
function proviso(family: Family, called: readonly string[], referrers: readonly Referrer[]): string {
  const object = called.find((name) => name !== '')
  const vm = referrers.find(({ kind }) => kind === 'VirtualMachine')
  if (object === undefined || vm === undefined) return ''
  const what = family === 'instancetype' ? 'instance type' : 'preference'
  return `; should there be no ${what} "${object}" any more, make it again, or let ${vm.subject} name another one, before it is refreshed`
}

/** `…-<version>-<uid>-<generation>`; without version before KubeVirt 1.3. */
const nameShape = /^(.*?)(?:-(v\d+(?:(?:alpha|beta)\d+)?))?-([0-9a-f]{8}-[0-9a-f-]{27})-(\d+)(?:-[0-9a-f]+)?$/

/**
 * Returns the version in the name of a missing copy. A type may be called `small-v1`, so that a
 * version only counts after the object's name.
 */
function versionOf(name: string, called: readonly string[]): string | undefined {
  const [, before = '', version] = nameShape.exec(name) ?? []
  return called.some((object) => before === object || before.endsWith(`-${object}`)) ? version : undefined
}

function missingFinding(
  { namespace, name, family, called, referrers }: Missing,
  live: ReadonlySet<string>,
  { kubevirt }: Surroundings,
): Finding {
  const [, , , uid = '', generation = ''] = nameShape.exec(name) ?? []
  const version = versionOf(name, called)
  const isThere = live.has(`${uid}-${generation}`)
  return {
    state: 'missing',
    namespace,
    revision: name,
    family,
    ...(version === undefined ? {} : { version }),
    message: isThere
      ? 'is gone, and can be captured again: what it was a copy of is unchanged'
      : `is gone, and so is what it was a copy of${proviso(family, called, referrers)}`,
    referrers,
    settledBy: isThere ? 'controller' : 'user',
    command: isThere ? waitCommand(kubevirt) : (replaceCommand(namespace, referrers) ?? waitCommand(kubevirt)),
  }
}
