import { kubeVirts, virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { KubeVirt } from '#api/kubevirt/v1/kubevirt.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { apiVersionOf, type ObjectKey, type ResourceType } from '#apimachinery/meta/resource-type.ts'
import { applyDefaults } from '#apimachinery/structural/transform/default.ts'
import { validateStructural } from '#apimachinery/structural/validation/validate.ts'
import { validateKubeVirt, whyNotCreated } from '#features/cluster-config/index.ts'
import {
  convertVersion,
  isWritable,
  validateInstancetype,
  validatePreference,
  type Instancetype,
  type Preference,
} from '#features/instancetype/index.ts'
import { mergeManifest } from './merge-manifest.ts'
import { refreshed, switched, withResolvedMatchers } from './matchers.ts'
import { referenceTo } from '../reference.ts'
import { schemaOf } from './schemas.ts'
import type { Change, ChangeSummary, Manifest, Refusal } from '../types.ts'
import { changeableResource, type ClusterState } from '../cluster-state/cluster-state.ts'

/** State of the cluster after some changes, and the result of each. */
export interface Applied {
  readonly cluster: ClusterState
  readonly changes: readonly ChangeSummary[]
  readonly refusals: readonly Refusal[]
}

/** An impossible change: an unknown kind, or a VM that does not exist. The message says which. */
export class ImpossibleChange extends Error {
  override readonly name = 'ImpossibleChange'
}

type Step = ChangeSummary & {
  readonly resource: ResourceType<KubeObject>
  readonly result: KubeObject
  readonly messages: readonly string[]
}

/**
 * Applies the changes in order, each as the API server would. The given state is not mutated.
 * @throws ImpossibleChange
 */
export function applyChanges(before: ClusterState, changes: readonly Change[]): Applied {
  const steps: Step[] = []
  const made = new Map<string, KubeObject>()
  const current = (resource: ResourceType<KubeObject>, key: ObjectKey): KubeObject | undefined =>
    made.get(`${resource.plural}/${key.namespace ?? ''}/${key.name}`) ?? before.get(resource, key)
  for (const change of changes) {
    const step = stepOf(change, current, before)
    steps.push(step)
    const { namespace = '', name = '' } = step.result.metadata ?? {}
    if (step.action !== 'refuse') made.set(`${step.resource.plural}/${step.resource.namespaced ? namespace : ''}/${name}`, step.result)
  }
  const kept = steps.filter(({ action }) => action !== 'refuse' && action !== 'none')
  return {
    cluster: before.with(kept.map(({ resource, result }) => [resource, result])),
    changes: steps.map(({ object, action, to }) => ({ object, action, ...(to === undefined ? {} : { to }) })),
    refusals: steps.filter(({ action }) => action === 'refuse').map(({ object, messages }) => ({ object, messages })),
  }
}

type Current = (resource: ResourceType<KubeObject>, key: ObjectKey) => KubeObject | undefined

function stepOf(change: Change, current: Current, before: ClusterState): Step {
  if (change.kind === 'apply') return stepOfManifest(change.manifest, current, before)
  const resource = virtualMachines as ResourceType<KubeObject>
  const vm = current(resource, change.vm) as VirtualMachine | undefined
  if (vm === undefined) throw new ImpossibleChange(`VirtualMachine "${change.vm.namespace}/${change.vm.name}" does not exist`)
  const result = rolledOut(vm, change)
  const object = referenceTo('VirtualMachine', vm.metadata)
  return { resource, result, action: change.kind, object, messages: [], ...(change.kind === 'switch' ? { to: change.to } : {}) }
}

function rolledOut(vm: VirtualMachine, change: Exclude<Change, { kind: 'apply' }>): VirtualMachine {
  switch (change.kind) {
    case 'switch':
      return switched(vm, change.to)
    case 'refresh':
      return refreshed(vm)
    case 'pin':
      return { ...vm, spec: { ...vm.spec, [change.family]: change.matcher } }
  }
}

function stepOfManifest(manifest: Manifest, current: Current, before: ClusterState): Step {
  const resource = changeableResource(manifest.apiVersion, manifest.kind)
  const { name, namespace } = manifest.metadata
  if (resource === undefined) {
    throw new ImpossibleChange(
      `${manifest.kind ?? 'An object'} "${name}" (${manifest.apiVersion ?? 'no apiVersion'}) is of no kind that a plan knows`,
    )
  }
  const live = current(resource, { name, ...(namespace === undefined ? {} : { namespace }) })
  const merged = applied(resource, manifest, live)
  const schema = schemaOf(resource)
  const whole = schema === undefined ? merged : (applyDefaults(merged, schema) as KubeObject)
  const errors = schema === undefined ? [] : validateStructural(whole, schema, live === undefined ? {} : { old: live })
  const isVm = resource.kind === virtualMachines.kind
  // Only well-formed objects are validated further.
  const messages =
    errors.length > 0 ? errors.map(({ field, message }) => `${field}: ${message}`) : problemsOf(resource, whole, { live, before })
  const result = isVm && messages.length === 0 ? withResolvedMatchers(whole as VirtualMachine, live as VirtualMachine | undefined) : whole
  const unchanged = live !== undefined && live.metadata?.generation === merged.metadata?.generation
  const action = messages.length > 0 ? 'refuse' : live === undefined ? 'create' : unchanged ? 'none' : 'edit'
  return { resource, result, action, object: referenceTo(resource.kind, result.metadata), messages }
}

/** Returns the object after `kubectl apply`, which works on the version of the manifest. */
function applied(resource: ResourceType<KubeObject>, manifest: Manifest, live: KubeObject | undefined): KubeObject {
  const apiVersion = apiVersionOf(resource)
  if (!isWritable(manifest)) {
    // All versions of a kind have the same fields, as far as they have them.
    const newest = { ...manifest, apiVersion }
    return live === undefined ? fresh(newest) : mergeManifest(live, newest)
  }
  if (live === undefined) return convertVersion(fresh(manifest), apiVersion)
  const shown = convertVersion({ ...live, apiVersion, kind: resource.kind }, manifest.apiVersion ?? apiVersion)
  return convertVersion(mergeManifest(shown, manifest), apiVersion)
}

function fresh(manifest: Manifest): KubeObject {
  const { status: _, ...object } = manifest
  // A new object has no uid; VMs that name it are found by its name.
  return { ...object, metadata: { ...object.metadata, generation: 1 } } as KubeObject
}

/**
 * Returns the admission errors of an object. VMs are validated later, together with the objects
 * that they name.
 */
function problemsOf(
  resource: ResourceType<KubeObject>,
  object: KubeObject,
  { live, before }: { readonly live: KubeObject | undefined; readonly before: ClusterState },
): readonly string[] {
  if (resource.kind === virtualMachines.kind) return []
  if (resource.kind === kubeVirts.kind) {
    const { namespace = '', name = '' } = object.metadata ?? {}
    const obstacle = live === undefined ? whyNotCreated(before.list(kubeVirts), { namespace, name }) : undefined
    const causes = validateKubeVirt(object as KubeVirt, live as KubeVirt | undefined)
    return [...(obstacle === undefined ? [] : [obstacle]), ...causes.map(({ message }) => message)]
  }
  const { spec } = object as unknown as Instancetype | Preference
  const isInstancetype = resource.kind.endsWith('Instancetype')
  const { causes } = isInstancetype ? validateInstancetype(spec as Instancetype['spec']) : validatePreference(spec as Preference['spec'])
  return causes.map(({ message }) => message)
}
