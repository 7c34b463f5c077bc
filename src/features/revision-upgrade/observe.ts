import type { ControllerRevision } from '#api/apps/v1/controller-revision.ts'
import { controllerRevisions } from '#api/apps/v1/resources.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import { found } from '#client/found.ts'
import {
  revisionFormatOf,
  formerNamesOf,
  referencesOf,
  replacedNames,
  revisionsByOwner,
  startRevisionPrefix,
} from '#features/instancetype/index.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import type { Observed } from './decide.ts'
import type { Ports } from './ports.ts'

/**
 * Returns a VM and the revisions that it references or owns; undefined when the VM does not exist.
 */
export async function observe(ports: Ports, { namespace, name }: Request): Promise<Observed | undefined> {
  const vm = ports.vms.get(namespace, name)
  if (vm === undefined) return undefined
  const vmi = ports.vmis.get(namespace, name)
  const own = vmi !== undefined && isControlledBy(vmi, vm) ? vmi : undefined
  const revisions = new Map<string, ControllerRevision>()
  const add = (revision: ControllerRevision | undefined): void => {
    if (revision !== undefined) revisions.set(revision.metadata.name ?? '', revision)
  }
  for (const revision of ports.revisions.byIndex(revisionsByOwner, vm.metadata.uid ?? '')) add(revision)
  add(await find(ports, namespace, own?.status?.virtualMachineRevisionName))
  const starts = [...revisions.values()].filter(({ metadata }) => metadata.name?.startsWith(startRevisionPrefix) === true)
  for (const { revision, written } of [vm, ...starts].flatMap((object) => referencesOf(object, vm))) {
    if (!revisions.has(revision)) add(await find(ports, namespace, revision))
    for (const former of [written, ...formerNamesOf(vm, revision)]) add(ports.revisions.get(namespace, former))
  }
  for (const [old, now] of Object.entries(replacedNames(vm))) for (const other of [old, now]) add(ports.revisions.get(namespace, other))
  return {
    vm,
    vmi: own,
    revisions,
    format: revisionFormatOf(ports.config()),
    isReferredElsewhere: (revision) => ports.isReferredElsewhere(vm, revision),
  }
}

/** Reads the cache first, then the API, which may have a newer revision. */
async function find(ports: Ports, namespace: string, name: string | undefined): Promise<ControllerRevision | undefined> {
  if (name === undefined || name === '') return undefined
  return ports.revisions.get(namespace, name) ?? found(ports.client.get(controllerRevisions, { namespace, name }))
}
