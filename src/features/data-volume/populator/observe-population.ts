import type { DataVolumeSource } from '#api/cdi/v1beta1/data-volume-source.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import { compareQuantities, parseQuantity } from '#apimachinery/quantity.ts'
import { configName, importSettingsOf } from '#features/storage-profile/index.ts'
import type { CloneChoice } from '../clone/choose-clone.ts'
import { observeClone } from '../clone/observe-clone.ts'
import type { FillWait } from '../fill/decide-fill.ts'
import type { FillOrder } from '../fill/order.ts'
import { instancetypeLabels, names } from '../names.ts'
import { progressOf, workerOf } from '../observe.ts'
import { copiedBy, resolveCopy, type CopiedObject, type ResolvedSource } from '../source/resolve-source.ts'
import type { Purpose } from '../source/source.ts'
import type { PopulationObservation } from './decide-population.ts'
import { populationOf, purposeOfPopulation, type Population } from './population.ts'
import type { PopulationPorts } from './ports.ts'
import { primeName } from './prime.ts'

/** A claim that names its content as it was observed, and what it leads to. */
export interface ObservedPopulation extends PopulationObservation {
  readonly purpose: Purpose
  readonly contentType: 'kubevirt' | 'archive'
  /** Labels by which VMs infer their hardware. */
  readonly labels: Readonly<Record<string, string>>
  /** The source of the claim that is filled. */
  readonly source: DataVolumeSource
  /** Who copies the source. Undefined if it is not copied, or if that is settled. */
  readonly clone: CloneChoice | undefined
  /** The claim to create so that a worker can read a snapshot. */
  readonly restore: PersistentVolumeClaim | undefined
  /** What to fill a claim with. */
  readonly order: (claim: PersistentVolumeClaim) => FillOrder
}

/** Reads a claim, what it names and the claim that is filled. Undefined for other claims. */
export async function observePopulation(
  ports: PopulationPorts,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<ObservedPopulation | undefined> {
  const target = ports.claims.get(namespace, name)
  if (target === undefined) return undefined
  const storageClass = ports.classes.get('', target.spec?.storageClassName ?? '')
  const population = populationOf(target, storageClass)
  if (population === undefined) return undefined
  const prime = ports.claims.get(namespace, primeName(target))
  const filled = prime ?? ((target.spec?.volumeName ?? '') === '' ? undefined : target)
  const pod = filled === undefined ? undefined : workerOf(ports, filled)
  const settings = importSettingsOf(ports.configs.get('', configName), ports.installations.list()[0])
  const content = contentOf(ports, population, target, settings.preallocation)
  const resolved: ResolvedSource = 'wait' in content ? content : await resolve(ports, content, target, filled)
  const bindsLate = storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
  const annotations = target.metadata.annotations ?? {}
  const isAsked = annotations[names.immediateBinding] !== undefined
  const spec = target.spec ?? {}
  const needsClone = filled === undefined && resolved.wait === undefined
  return {
    target,
    prime,
    pod,
    bindsLate,
    isWanted: !bindsLate || isAsked || annotations[names.selectedNode] !== undefined,
    obstacle: resolved.wait ?? (storageClass === undefined ? classless(target) : undefined),
    isComplete: ports.complete.has(pod?.metadata.uid ?? ''),
    progress: await progressOf(ports, pod, signal),
    purpose: purposeOfPopulation(population),
    contentType: 'wait' in content ? 'kubevirt' : content.contentType,
    labels: resolved.wait === undefined ? instancetypeOf(resolved.labels) : {},
    source: resolved.wait === undefined ? resolved.source : {},
    clone: needsClone ? await observeClone(ports, { ...resolved, spec, namespace, bindsAtOnce: isAsked }) : undefined,
    restore: resolved.wait === undefined ? undefined : resolved.restore,
    order: (claim) => orderOf(target, claim, content, resolved),
  }
}

/** What an object says about the content of claims. */
interface Content {
  readonly source: DataVolumeSource
  /** The volume that is copied. */
  readonly origin?: CopiedObject
  readonly contentType: 'kubevirt' | 'archive'
  readonly preallocation: boolean
  readonly priorityClassName?: string
}

function contentOf(
  { importSources, uploadSources, cloneSources, claims }: PopulationPorts,
  { kind, name, namespace: elsewhere }: Population,
  target: PersistentVolumeClaim,
  otherwise: boolean,
): Content | { readonly wait: FillWait } {
  const { namespace = '', annotations = {} } = target.metadata
  const common = { contentType: contentTypeOf(annotations[names.contentType]), preallocation: otherwise }
  const missing = (): { readonly wait: FillWait } => ({
    wait: { reason: 'NotFound', message: `${kind} ${name} doesn't exist in namespace ${namespace}` },
  })
  if (elsewhere !== undefined && elsewhere !== namespace)
    return {
      wait: {
        reason: 'CrossNamespaceReference',
        message: `dataSourceRef.namespace must be ${namespace}: objects of other namespaces are not read`,
      },
    }
  switch (kind) {
    case 'VolumeImportSource': {
      const found = importSources.get(namespace, name)?.spec
      if (found === undefined) return missing()
      const { source = {}, contentType, preallocation, targetClaim = '' } = found
      if (targetClaim !== '' && targetClaim !== target.metadata.name)
        return { wait: { reason: 'OtherTargetClaim', message: `VolumeImportSource ${name} is for PVC ${targetClaim}` } }
      return { source, contentType: contentTypeOf(contentType), preallocation: preallocation ?? otherwise }
    }
    case 'VolumeUploadSource': {
      const found = uploadSources.get(namespace, name)?.spec
      if (found === undefined) return missing()
      const { contentType, preallocation } = found
      return { source: { upload: {} }, contentType: contentTypeOf(contentType), preallocation: preallocation ?? otherwise }
    }
    case 'VolumeCloneSource': {
      const found = cloneSources.get(namespace, name)?.spec
      if (found === undefined) return missing()
      const { source, preallocation, priorityClassName } = found
      const priority = priorityClassName === undefined || priorityClassName === '' ? {} : { priorityClassName }
      const origin: CopiedObject = { kind: source.kind === 'VolumeSnapshot' ? 'snapshot' : 'pvc', namespace, name: source.name }
      return { ...common, ...priority, source: {}, origin, preallocation: preallocation ?? otherwise }
    }
    case 'PersistentVolumeClaim': {
      if (claims.get(namespace, name) === undefined) return missing()
      return { ...common, source: {}, origin: { kind: 'pvc', namespace, name } }
    }
  }
}

function contentTypeOf(text: string | undefined): 'kubevirt' | 'archive' {
  return text === 'archive' ? 'archive' : 'kubevirt'
}

async function resolve(
  ports: PopulationPorts,
  { source, origin }: Content,
  target: PersistentVolumeClaim,
  claim: PersistentVolumeClaim | undefined,
): Promise<ResolvedSource> {
  if (origin === undefined) return { source, labels: {} }
  const resolved = await resolveCopy(ports, origin, { own: target.metadata.namespace ?? '', claim })
  if (resolved.wait !== undefined || resolved.copied === undefined) return resolved
  const [wanted, size] = [target, resolved.copied].map(({ spec }) => spec?.resources?.requests?.['storage'] ?? '0')
  const isSmaller = compareQuantities(parseQuantity(wanted ?? '0'), parseQuantity(size ?? '0')) < 0
  if (!isSmaller || target.metadata.annotations?.[names.permissiveClone] !== undefined) return resolved
  const message = `The clone doesn't meet the validation requirements: target resources requests storage size is smaller than the source (${wanted} < ${size})`
  return { wait: { reason: 'CloneValidationFailed', message } }
}

function classless({ metadata: { name = '' }, spec }: PersistentVolumeClaim): FillWait {
  const { storageClassName = '' } = spec ?? {}
  const what =
    storageClassName === '' ? 'it names no storage class, and there is no default one' : `StorageClass ${storageClassName} not found`
  return { reason: 'Pending', message: `PVC ${name} Pending: ${what}` }
}

function instancetypeOf(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => instancetypeLabels.includes(key)))
}

function orderOf(
  target: PersistentVolumeClaim,
  claim: PersistentVolumeClaim,
  content: Content | { readonly wait: FillWait },
  resolved: ResolvedSource,
): FillOrder {
  const { name = '', uid = '' } = claim.metadata
  const { contentType, preallocation, priorityClassName, origin } =
    'wait' in content
      ? { contentType: 'kubevirt' as const, preallocation: false, priorityClassName: undefined, origin: undefined }
      : content
  const copied = resolved.wait === undefined ? resolved.copied : undefined
  const copiedFrom = copiedBy(origin, claim)
  return {
    claim,
    source: resolved.wait === undefined ? resolved.source : {},
    contentType,
    preallocation,
    owner: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, uid, controller: true, blockOwnerDeletion: true },
    annotations: target.metadata.annotations ?? {},
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(copied === undefined ? {} : { copied }),
    ...(copiedFrom === undefined ? {} : { copiedFrom }),
  }
}
