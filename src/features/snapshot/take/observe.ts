import type { Request } from '#runtime/controller/reconcile.ts'
import { revisionsByOwner } from '#features/instancetype/index.ts'
import type { Observed } from './decide.ts'
import { contentName } from '../names.ts'
import { restoresBySnapshot, type Ports } from '../ports.ts'
import { isRestoreActive } from '../restore/active-restore.ts'

/** Reads the state of a snapshot from the caches; undefined when the snapshot does not exist. */
export function observe(ports: Ports, { namespace, name }: Request): Observed | undefined {
  const snapshot = ports.snapshots.get(namespace, name)
  if (snapshot === undefined) return undefined
  const uid = snapshot.metadata.uid ?? ''
  return {
    snapshot,
    vm: ports.vms.get(namespace, snapshot.spec.source.name),
    content: ports.contents.get(namespace, contentName(uid)),
    restores: ports.restores
      .byIndex(restoresBySnapshot, `${namespace}/${name}`)
      .filter(isRestoreActive)
      .map(({ metadata }) => metadata.name ?? ''),
    revisions: ports.revisions.byIndex(revisionsByOwner, uid).length,
  }
}
