import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { conflict } from '#apimachinery/errors.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import { deleteRevision, revisionFormatOf, storeRevision, type Family, type Holder } from '#features/instancetype/index.ts'
import { snapshotHolder } from '../capture/capture.ts'
import type { Decision } from './decide.ts'
import { givenUpAnnotation, replacedRevisionsIn, touchedAnnotation } from './replaced-revisions.ts'
import type { Ports } from './ports.ts'
import { contentType } from '../names.ts'

/** Content whose revisions are upgraded. */
export interface Subject {
  readonly content: VirtualMachineSnapshotContent
  /** Undefined when the content has outlived it. */
  readonly snapshot: VirtualMachineSnapshot | undefined
}

/**
 * Takes the next steps for the revisions of a snapshot; returns the changed names. Every step is
 * idempotent and can be interrupted. The order prevents the deletion of a revision that another
 * controller is about to reference again, because the required format has changed back: a
 * controller that deletes has read the resourceVersion of the revision first, and then checks that
 * the content lists it as replaced; a controller that references it removes it from that list
 * first, and then touches the revision, which makes the deletion a conflict.
 */
export async function act(ports: Ports, subject: Subject, decision: Decision): Promise<ReadonlyMap<string, string>> {
  const { content } = subject
  const holder = holderOf(subject)
  for (const orphan of decision.orphans) await adopt(ports, holder, orphan)
  if (decision.replacements.length === 0) {
    await dropAll(ports, content, decision.superfluous)
    return new Map()
  }
  const renames = new Map<string, string>()
  const names: Partial<Record<Family, string>> = {}
  for (const { old, family, object } of decision.replacements) {
    const name = await storeRevision(ports, holder, object, revisionFormatOf(ports.config()), { allowAlternativeName: true })
    names[family] = name
    if (name !== old) renames.set(old, name)
  }
  const given = replacedRevisionsIn(content)
  const wanted = Object.values(names)
  if (wanted.some((name) => given.includes(name))) {
    // The rest follows when the caches show this.
    await write(
      ports,
      content,
      given.filter((name) => !wanted.includes(name)),
    )
    return new Map()
  }
  for (const name of wanted) await touch(ports, content, name)
  if (renames.size > 0) await write(ports, content, [...new Set([...given, ...renames.keys()])], names)
  return renames
}

/** Returns the owner of the revisions of a snapshot. */
export function holderOf({ snapshot, content }: Subject): Holder {
  if (snapshot !== undefined) return snapshotHolder(snapshot)
  const { namespace = '', name = '', uid = '' } = content.metadata
  return { ...contentType, namespace, name, uid }
}

/** Came with a backup: without an owner it would outlive the snapshot. */
async function adopt({ client }: Ports, { apiVersion, kind, name, uid }: Holder, orphan: ControllerRevision): Promise<void> {
  const { ownerReferences = [] } = orphan.metadata
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
  await patchIfUnchanged(client, controllerRevisions, orphan, { metadata: { ownerReferences: [...ownerReferences, owner] } })
}

/**
 * Changes the references and replaced names of the content, unless it has changed since it was
 * read.
 */
async function write(
  { client }: Ports,
  content: VirtualMachineSnapshotContent,
  given: readonly string[],
  names: Partial<Record<Family, string>> = {},
): Promise<void> {
  const metadata = { annotations: { [givenUpAnnotation]: given.length === 0 ? null : JSON.stringify(given) } }
  const matchers = Object.fromEntries(Object.entries(names).map(([family, revisionName]) => [family, { revisionName }]))
  const spec = Object.keys(matchers).length === 0 ? {} : { spec: { source: { virtualMachine: { spec: matchers } } } }
  await patchIfUnchanged(client, virtualMachineSnapshotContents, content, { metadata, ...spec })
}

/**
 * The resourceVersion of the content changes with every removal from its list, so that this changes
 * the revision.
 */
async function touch({ client }: Ports, { metadata }: VirtualMachineSnapshotContent, name: string): Promise<void> {
  const body = { metadata: { annotations: { [touchedAnnotation]: `${metadata.name ?? ''}@${metadata.resourceVersion ?? ''}` } } }
  const touched = await found(client.patch(controllerRevisions, { namespace: metadata.namespace ?? '', name }, { type: 'merge', body }))
  if (touched === undefined) throw conflict(controllerRevisions, name, 'it has just been deleted')
}

async function dropAll(ports: Ports, content: VirtualMachineSnapshotContent, superfluous: readonly ControllerRevision[]): Promise<void> {
  if (superfluous.length === 0) return
  const given = replacedRevisionsIn(content)
  const news = superfluous.map(({ metadata }) => metadata.name ?? '').filter((name) => !given.includes(name))
  if (news.length > 0) return write(ports, content, [...given, ...news])
  const now = await found(ports.client.get(virtualMachineSnapshotContents, keyOf(content)))
  const givenNow = now === undefined ? [] : replacedRevisionsIn(now)
  for (const revision of superfluous) if (givenNow.includes(revision.metadata.name ?? '')) await deleteRevision(ports.client, revision)
}
