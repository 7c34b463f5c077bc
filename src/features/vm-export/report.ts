import { virtualMachineExports } from '#api/export/v1/resources.ts'
import type { VirtualMachineExportCondition, VirtualMachineExportStatus } from '#api/export/v1/virtual-machine-export.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import { found } from '#client/found.ts'
import { patchStatus } from '#client/patch-status.ts'
import { timestamp } from '#runtime/clock/clock.ts'
import { expirationOf, isServing, type Observed, type Step } from './decide.ts'
import { linkBases } from './links/link-bases.ts'
import { linkOf, type External, type LinkBase } from './links/link.ts'
import { serviceNameOf, tokenSecretNameOf } from './names.ts'
import type { Ports } from './ports.ts'
import type { SourceCondition } from './source/source.ts'

/** Writes the status of an export, in at most one write. */
export async function report(ports: Ports, observed: Observed, step: Step, signal: AbortSignal): Promise<void> {
  if (step.kind !== 'keep') return
  const status = statusOf(observed, step, linkBases(ports, observed))
  await found(patchStatus(ports.client, virtualMachineExports, observed.vmExport, status, { signal }))
}

/** The status with null for what is to be removed. */
interface StatusChange extends Omit<VirtualMachineExportStatus, 'links'> {
  readonly links: { readonly [Side in LinkBase['side']]: ReturnType<typeof linkOf> | null }
}

/** Returns the status of an export. KubeVirt's phases and reasons. Pure. */
export function statusOf(observed: Observed, step: Extract<Step, { readonly kind: 'keep' }>, bases: readonly LinkBase[]): StatusChange {
  const { vmExport, source, now } = observed
  // A pod that is about to be deleted does not count.
  const pod = step.pod.kind === 'delete' ? undefined : observed.pod
  const hasToken = vmExport.spec.tokenSecretRef !== undefined || step.pod.kind === 'create' || pod !== undefined
  const ready = readinessOf({ ...observed, pod }, step)
  const link = (side: LinkBase['side']) => {
    const base = isServing(pod) ? bases.find((one) => one.side === side) : undefined
    return base === undefined ? null : linkOf(base, source.volumes, source.vm !== undefined)
  }
  const conditions = [ready, ...(source.own === undefined ? [] : [source.own]), externalCondition(observed.external)]
  return {
    phase: source.isSkipped === true ? 'Skipped' : phaseOf(pod),
    serviceName: serviceNameOf(vmExport),
    ...(hasToken ? { tokenSecretRef: tokenSecretNameOf(vmExport) } : {}),
    ttlExpirationTime: timestamp(expirationOf(vmExport)),
    ...(source.vmName === undefined ? {} : { virtualMachineName: source.vmName }),
    links: { internal: link('internal'), external: link('external') },
    conditions: conditions.reduce<VirtualMachineExportCondition[]>(
      (all, condition) => setCondition(all, { ...condition }, timestamp(now)),
      vmExport.status?.conditions ?? [],
    ),
  }
}

/** KubeVirt leaves external links out in silence. */
function externalCondition({ base, problem = '' }: External): SourceCondition {
  const isPublished = base !== undefined
  return {
    type: 'ExternalLinks',
    status: isPublished ? 'True' : 'False',
    reason: isPublished ? 'Published' : 'NotPublished',
    message: problem,
  }
}

function phaseOf(pod: Observed['pod']): string {
  if (isServing(pod)) return 'Ready'
  return pod?.status?.phase === 'Succeeded' ? 'Terminated' : 'Pending'
}

function readinessOf({ source, pod, hasAuthority }: Observed, { pod: step }: Extract<Step, { readonly kind: 'keep' }>): SourceCondition {
  const condition = (status: 'True' | 'False', reason: string, message = ''): SourceCondition => ({
    type: 'Ready',
    status,
    reason,
    message,
  })
  if (isServing(pod)) return condition('True', 'PodReady')
  if (pod === undefined && step.kind !== 'create')
    return source.isAvailable && !hasAuthority
      ? condition('False', 'Initializing', 'there is no authority for certificates yet')
      : source.ready
  const phase = pod?.status?.phase ?? 'Pending'
  return condition('False', phase === 'Succeeded' ? 'PodCompleted' : phase === 'Pending' ? 'PodPending' : 'Unknown')
}
