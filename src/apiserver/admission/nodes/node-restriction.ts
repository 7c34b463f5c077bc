import type { Node } from '#api/core/v1/node.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { badRequest, forbidden, type StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { nodeOfUser } from '#apiserver/authorization/node/node-identity.ts'
import { referencesOf } from '#apiserver/authorization/node/pod-references.ts'
import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../chain.ts'
import { changedReservedLabels } from './reserved-labels.ts'

const mirrorAnnotation = 'kubernetes.io/config.mirror'
const leaseNamespace = 'kube-node-lease'

/** Returns why a node may not do this to one kind of object, or undefined. */
type Check = (node: string, request: AdmissionRequest, store: Pick<ObjectStore, 'getPending'>) => string | undefined

const checkNode: Check = (node, request) => {
  const { operation, target, object } = request
  const name = operation === 'CREATE' ? (object?.metadata?.name ?? '') : target.name
  if (name !== node) return `node ${JSON.stringify(node)} is not allowed to modify node ${JSON.stringify(name)}`
  if (operation === 'DELETE') return undefined
  const labels = changedReservedLabels(object?.metadata?.labels, request.old?.metadata?.labels).join(', ')
  if (labels !== '')
    return operation === 'CREATE' ? `is not allowed to set the following labels: ${labels}` : `is not allowed to modify labels: ${labels}`
  // Without its taints, a node would attract pods that are kept off it. With the uid of a missing
  // owner it would be garbage collected, and could register again without taints.
  const part = operation === 'UPDATE' ? changedGuard(request) : undefined
  return part === undefined ? undefined : `node ${JSON.stringify(node)} is not allowed to modify ${part}`
}

function changedGuard({ object, old }: AdmissionRequest): string | undefined {
  const [next, before] = [object, old] as (Node | undefined)[]
  if (!deepEqual(next?.spec?.taints ?? [], before?.spec?.taints ?? [])) return 'taints'
  return deepEqual(next?.metadata.ownerReferences ?? [], before?.metadata.ownerReferences ?? []) ? undefined : 'ownerReferences'
}

const checkPod: Check = (node, { operation, target, object, old }, store) => {
  const only = (what: string): string => `node ${JSON.stringify(node)} can only ${what} pods with spec.nodeName set to itself`
  if (operation === 'CREATE' && target.subresource === '') {
    const { metadata, spec } = object as Pod
    if (metadata.annotations?.[mirrorAnnotation] === undefined) {
      return `pod does not have ${JSON.stringify(mirrorAnnotation)} annotation, node ${JSON.stringify(node)} can only create mirror pods`
    }
    if (spec.nodeName !== node) return only('create')
    // A node may read the secrets and volumes that its pods refer to, so its own pods must refer to
    // none.
    const [reference] = referencesOf(object as Pod)
    return reference === undefined
      ? undefined
      : `node ${JSON.stringify(node)} can not create pods that reference ${reference.slice(0, reference.indexOf('/'))}`
  }
  const stored = old ?? store.getPending('/pods', target.namespace ?? '', target.name)?.object
  if (stored === undefined || (stored as Pod).spec.nodeName === node) {
    // Services and disruption budgets select pods by labels.
    const relabels = operation === 'UPDATE' && !deepEqual(object?.metadata?.labels ?? {}, old?.metadata?.labels ?? {})
    return relabels ? `node ${JSON.stringify(node)} cannot update labels through pod status` : undefined
  }
  return only(operation === 'DELETE' ? 'delete' : target.subresource === 'eviction' ? 'evict' : 'update the status of')
}

const checkLease: Check = (node, { operation, target, object }) => {
  if (target.namespace !== leaseNamespace) return `can only access leases in the ${JSON.stringify(leaseNamespace)} system namespace`
  const name = operation === 'CREATE' ? object?.metadata?.name : target.name
  return name === node ? undefined : 'can only access node lease with the same name as the requesting node'
}

const checkToken: Check = (node, { target, object }, store) => {
  if (target.subresource !== 'token') return undefined
  const { spec } = object as { spec?: { boundObjectRef?: { kind?: string; name?: string; uid?: string } | null } }
  const { kind = '', name = '', uid = '' } = spec?.boundObjectRef ?? {}
  if (kind !== 'Pod' || name === '') return 'node requested token not bound to a pod'
  if (uid === '') return 'node requested token with a pod binding without a uid'
  const pod = store.getPending('/pods', target.namespace ?? '', name)?.object as Pod | undefined
  return pod === undefined || pod.spec.nodeName === node ? undefined : 'node requested token bound to a pod scheduled on a different node'
}

/** Fields of a VirtualMachineInstance that name its nodes. */
interface Guest extends KubeObject {
  readonly status?: { readonly nodeName?: string; readonly migrationState?: { readonly targetNode?: string; readonly sourceNode?: string } }
}

const checkGuest: Check = (node, { old, target }) => {
  const { metadata, status }: Guest = old ?? {}
  const nodes = [
    status?.nodeName,
    metadata?.labels?.['kubevirt.io/nodeName'],
    status?.migrationState?.sourceNode,
    status?.migrationState?.targetNode,
  ]
  if (old === undefined || nodes.includes(node)) return undefined
  return `node ${JSON.stringify(node)} is not allowed to modify ${JSON.stringify(target.name)}, which is not on it`
}

/** Only the node that runs a guest writes its HardwareRecord, which has the guest's name. */
const checkHardware: Check = (node, { operation, target, object }, store) => {
  const name = operation === 'CREATE' ? (object?.metadata?.name ?? '') : target.name
  const guest: Guest | undefined = store.getPending('kubevirt.io/virtualmachineinstances', target.namespace ?? '', name)?.object
  if (guest?.status?.nodeName === node) return undefined
  return `node ${JSON.stringify(node)} is not allowed to write down the hardware of ${JSON.stringify(name)}, which is not on it`
}

const checks: ReadonlyMap<string, Check> = new Map([
  ['/nodes', checkNode],
  ['/pods', checkPod],
  ['/serviceaccounts', checkToken],
  ['coordination.k8s.io/leases', checkLease],
  ['kubevirt.io/virtualmachineinstances', checkGuest],
  ['steadyvm.io/hardwarerecords', checkHardware],
])

function refusal({ target, object }: AdmissionRequest, why: string): StatusError {
  return forbidden(target.definition, target.name === '' ? (object?.metadata?.name ?? '') : target.name, why)
}

/**
 * Restricts kubelets and virt-handlers to objects of their own node, so that a compromised node
 * cannot take over others. @throws StatusError 403
 */
export function createNodeRestriction(store: Pick<ObjectStore, 'getPending'>): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    resources: new Set(checks.keys()),
    validate(request) {
      const check = checks.get(request.target.definition.storageKey)
      if (check === undefined) return
      const node = nodeOfUser(request.context.user)
      if (node === undefined) return
      if (node === '') throw badRequest('a user of a node must say which: its name ends with that of the node')
      const why = check(node, request, store)
      if (why !== undefined) throw refusal(request, why)
    },
  }
}
