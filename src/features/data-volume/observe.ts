import type { DataVolume } from '#api/cdi/v1beta1/data-volume.ts'
import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { durationMs } from '#apimachinery/cel/values/time.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { isControlledBy } from '#apimachinery/meta/owner-references.ts'
import { configName, importSettingsOf, type ImportSettings } from '#features/storage-profile/index.ts'
import type { ImportProgress } from '#importer/index.ts'
import { claimOf, ownerReferenceTo } from './claim/claim-of.ts'
import { renderClaim, type Rendered } from './claim/render-claim.ts'
import type { CloneChoice } from './clone/choose-clone.ts'
import { observeClone } from './clone/observe-clone.ts'
import { asClaim } from './clone/snapshot-source.ts'
import type { Observed } from './decide.ts'
import type { FillWait } from './fill/decide-fill.ts'
import type { FillOrder } from './fill/order.ts'
import { names } from './names.ts'
import { workersByClaim, type FillPorts, type Ports } from './ports.ts'
import { copiedBy, isCopy, originOf, resolveSource, type ResolvedSource } from './source/resolve-source.ts'
import { isPopulatedOutside, kindOf, purposeOf, type Purpose } from './source/source.ts'
import { workerState } from './worker/worker-state.ts'

/** A DataVolume as it was observed, and what it leads to. */
export interface Observation extends Observed {
  readonly purpose: Purpose
  /** The claim to create. Undefined while it cannot be made. */
  readonly newClaim: PersistentVolumeClaim | undefined
  /** Who copies the source of the new claim. Undefined for sources that are not copied. */
  readonly clone: CloneChoice | undefined
  /** The claim to create so that a worker can read a snapshot. */
  readonly restore: PersistentVolumeClaim | undefined
  /** What to fill an existing claim with. Undefined while the source cannot be read. */
  readonly order: (claim: PersistentVolumeClaim) => FillOrder
}

/** Reads a DataVolume, its claim, its source and its worker. Undefined for one that is gone. */
export async function observe(ports: Ports, namespace: string, name: string, signal: AbortSignal): Promise<Observation | undefined> {
  const dataVolume = ports.dataVolumes.get(namespace, name)
  if (dataVolume === undefined) return undefined
  const claim = ports.claims.get(namespace, name)
  const settings = importSettingsOf(ports.configs.get('', configName), ports.installations.list()[0])
  const isOurs = claim !== undefined && isControlledBy(claim, dataVolume)
  const pod = isOurs ? workerOf(ports, claim) : undefined
  // The source of a volume that is being filled, or is full, does not matter any more.
  const isAsked = !isBeingDeleted(dataVolume) && pod === undefined && !isPopulatedOutside(dataVolume.spec) && !isOver(dataVolume, claim)
  const resolved = isAsked ? await resolveSource(ports, dataVolume, isOurs ? claim : undefined) : unasked(dataVolume)
  const rendered = claim === undefined && resolved.wait === undefined ? render(ports, dataVolume, settings, resolved) : undefined
  const spec = claim?.spec ?? rendered?.spec ?? {}
  const asksAtOnce = dataVolume.metadata.annotations?.[names.immediateBinding] !== undefined
  const clone =
    rendered?.spec === undefined || resolved.wait !== undefined
      ? undefined
      : await observeClone(ports, { ...resolved, spec, namespace, bindsAtOnce: asksAtOnce })
  return {
    dataVolume,
    claim,
    pod,
    bindsLate: ports.classes.get('', spec.storageClassName ?? '')?.volumeBindingMode === 'WaitForFirstConsumer',
    bindsAtOnce: asksAtOnce || claim?.metadata.annotations?.[names.selectedNode] !== undefined,
    obstacle: resolved.wait ?? incompatible(claim, resolved),
    claimProblem: rendered?.problem,
    adoptsClaims: settings.adoptsClaims,
    isComplete: ports.complete.has(pod?.metadata.uid ?? ''),
    progress: await progressOf(ports, pod, signal),
    purpose: purposeOf(isCopy(dataVolume) ? 'pvc' : kindOf(dataVolume.spec.source)),
    newClaim: rendered?.spec === undefined ? undefined : newClaimOf(dataVolume, rendered.spec, settings, resolved, clone),
    clone,
    restore: resolved.wait === undefined ? undefined : resolved.restore,
    order: (of) => orderOf(dataVolume, of, settings, resolved),
  }
}

/** Returns the worker of a claim. */
export function workerOf({ workers }: Pick<FillPorts, 'workers'>, { metadata }: PersistentVolumeClaim): Pod | undefined {
  const found = workers.byIndex(workersByClaim, metadata.uid ?? '')
  return found.find((pod) => !isBeingDeleted(pod)) ?? found[0]
}

/** Asks the worker how far it is. Undefined while it does not run, or does not answer. */
export async function progressOf(
  ports: Pick<FillPorts, 'askProgress'>,
  pod: Pod | undefined,
  signal: AbortSignal,
): Promise<ImportProgress | undefined> {
  return pod === undefined || workerState(pod).kind !== 'running' ? undefined : ports.askProgress(pod, signal)
}

function isOver({ status }: DataVolume, claim: PersistentVolumeClaim | undefined): boolean {
  if (claim === undefined) return ['Succeeded', 'Failed'].includes(status?.phase ?? '')
  const annotations = claim.metadata.annotations ?? {}
  return annotations[names.podPhase] === 'Succeeded' || annotations[names.fatalError] === 'true'
}

function unasked({ spec }: DataVolume): ResolvedSource {
  return { source: spec.source ?? {}, labels: {} }
}

function render(
  ports: Ports,
  { spec }: DataVolume,
  settings: ImportSettings,
  { copied, snapshot }: Exclude<ResolvedSource, { wait: FillWait }>,
): Rendered {
  const origin = snapshot === undefined ? copied : asClaim(snapshot)
  return renderClaim({ spec, classes: ports.classes.list(), profile: (name) => ports.profiles.get('', name), settings, copied: origin })
}

function newClaimOf(
  dataVolume: DataVolume,
  spec: NonNullable<Rendered['spec']>,
  settings: ImportSettings,
  resolved: ResolvedSource,
  clone: CloneChoice | undefined,
): PersistentVolumeClaim | undefined {
  if (resolved.wait !== undefined) return undefined
  const preallocation = dataVolume.spec.preallocation ?? settings.preallocation
  const { source, labels } = resolved
  return claimOf(dataVolume, { spec, source, preallocation, sourceLabels: labels, ...(clone === undefined ? {} : { clone }) })
}

function orderOf(dataVolume: DataVolume, claim: PersistentVolumeClaim, settings: ImportSettings, resolved: ResolvedSource): FillOrder {
  const { spec, metadata } = dataVolume
  const { source, copied } = resolved.wait === undefined ? resolved : { source: spec.source ?? {}, copied: undefined }
  const { priorityClassName, serviceAccountName } = spec
  const copiedFrom = copiedBy(originOf(dataVolume, claim), claim)
  const deadline = durationMs(metadata.annotations?.[names.deadline] ?? '')
  return {
    claim,
    // A worker that runs has the name of its purpose, whatever became of the source.
    source: kindOf(source) === undefined && isCopy(dataVolume) ? { pvc: { namespace: '', name: '' } } : source,
    contentType: spec.contentType === 'archive' ? 'archive' : 'kubevirt',
    preallocation: spec.preallocation ?? settings.preallocation,
    owner: ownerReferenceTo(dataVolume),
    annotations: metadata.annotations ?? {},
    ...(priorityClassName === undefined || priorityClassName === '' ? {} : { priorityClassName }),
    ...(serviceAccountName === undefined || serviceAccountName === '' ? {} : { serviceAccountName }),
    ...(deadline === undefined ? {} : { deadlineSeconds: Math.max(1, Math.ceil(deadline / 1000)) }),
    ...(copied === undefined ? {} : { copied }),
    ...(copiedFrom === undefined ? {} : { copiedFrom }),
  }
}

/** A disk is no archive. */
function incompatible(claim: PersistentVolumeClaim | undefined, resolved: ResolvedSource): FillWait | undefined {
  if (claim === undefined || resolved.wait !== undefined || resolved.copied === undefined) return undefined
  const contents = [resolved.copied, claim].map(({ metadata }) => metadata.annotations?.[names.contentType] ?? 'kubevirt')
  if (contents[0] === contents[1]) return undefined
  const message = `The clone doesn't meet the validation requirements: Source contentType (${contents[0]}) and target contentType (${contents[1]}) do not match`
  return { reason: 'CloneValidationFailed', message }
}
