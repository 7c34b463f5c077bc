import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { virtualMachineSnapshotContents } from '#api/snapshot/v1beta1/resources.ts'
import type { VirtualMachineSnapshotContent } from '#api/snapshot/v1beta1/virtual-machine-snapshot-content.ts'
import type { VirtualMachineSnapshot } from '#api/snapshot/v1beta1/virtual-machine-snapshot.ts'
import { semanticEqual } from '#apimachinery/equality.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import type { JsonPatchOperation } from '#client/client.ts'
import { formOf, storeRevision, type Holder } from '#features/instancetype/index.ts'
import { revisionsNamedIn } from '#features/revision-upgrade/index.ts'
import { keyOf } from '../act.ts'
import { snapshotHolder } from '../capture.ts'
import { found } from '../found.ts'
import type { Decision } from './decide.ts'
import type { Ports } from './reconciler.ts'

/** Whose revisions are looked after. */
export interface Subject {
  readonly content: VirtualMachineSnapshotContent
  /** Undefined when the content has outlived it. */
  readonly snapshot: VirtualMachineSnapshot | undefined
}

/**
 * Stores what is to be replaced, lets the content name it, and drops what was replaced before: in a later pass, and after the API was asked. Every step
 * can be repeated and cut anywhere. Gives the names that have changed.
 */
export async function act(ports: Ports, subject: Subject, decision: Decision): Promise<ReadonlyMap<string, string>> {
  const holder = holderOf(subject)
  for (const orphan of decision.orphans) await adopt(ports, holder, orphan)
  const renames = new Map<string, string>()
  const operations: JsonPatchOperation[] = []
  for (const { old, object, path } of decision.replacements) {
    const name = await storeRevision(ports, holder, object, formOf(ports.config()))
    if (name === old) continue
    renames.set(old, name)
    operations.push({ op: 'test', path, value: old }, { op: 'replace', path, value: name })
  }
  if (operations.length > 0) await ports.client.patch(virtualMachineSnapshotContents, keyOf(subject.content), { type: 'json', operations })
  if (decision.superfluous.length > 0) await dropAll(ports, subject, decision.superfluous)
  return renames
}

function holderOf({ snapshot, content }: Subject): Holder {
  if (snapshot !== undefined) return snapshotHolder(snapshot)
  const { namespace = '', name = '', uid = '' } = content.metadata
  return { apiVersion: 'snapshot.kubevirt.io/v1beta1', kind: 'VirtualMachineSnapshotContent', namespace, name, uid }
}

/** Came with a backup: without an owner it would outlive the snapshot. */
async function adopt({ client }: Ports, { apiVersion, kind, name, uid }: Holder, orphan: ControllerRevision): Promise<void> {
  const { resourceVersion, ownerReferences = [] } = orphan.metadata
  const owner = { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
  const metadata = { resourceVersion, ownerReferences: [...ownerReferences, owner] }
  await client.patch(controllerRevisions, keyOf(orphan), { type: 'merge', body: { metadata } })
}

/** The cache may be behind the content: what it names by now is not to be dropped. */
async function dropAll({ client }: Ports, { content }: Subject, superfluous: readonly ControllerRevision[]): Promise<void> {
  const now = await found(client.get(virtualMachineSnapshotContents, keyOf(content)))
  if (now === undefined || !semanticEqual(now.spec, content.spec)) return
  const named = revisionsNamedIn({ ...now, kind: 'VirtualMachineSnapshotContent' })
  for (const { metadata } of superfluous) {
    const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata
    if (named.includes(name)) continue
    try {
      await client.delete(controllerRevisions, { namespace, name }, { preconditions: { uid, resourceVersion } })
    } catch (error) {
      // Gone already, or in use again: the next look tells.
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }
}
