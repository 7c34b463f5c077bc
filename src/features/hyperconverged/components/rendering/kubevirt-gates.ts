import { isTrue } from '#apimachinery/conditions.ts'
import { injectorReady } from '../workloads/network-resources-injector.ts'
import { gateSource, type Rendering } from './rendering.ts'
import type { ValueSource } from './value-source.ts'

const [enabled, disabled] = [
  'configuration.developerConfiguration.featureGates',
  'configuration.developerConfiguration.disabledFeatureGates',
] as const
const always = ['CPUManager', 'Snapshot', 'HostDevices', 'KubevirtSeccompProfile']

/**
 * Feature gates that are beta in KubeVirt 1.9, and so on unless they are disabled. Those that this
 * operator does not enable are disabled by name, so that a promotion in KubeVirt changes no running
 * cluster. `ImageVolume` is left to KubeVirt: launchers start without it only where the nodes
 * cannot mount images.
 */
export const betaInKubeVirt: readonly string[] = [
  'DeclarativeHotplugVolumes',
  'ExternalNetResourceInjection',
  'GPUsWithDRA',
  'HostDevicesWithDRA',
  'KubevirtSeccompProfile',
  'LibvirtHooksServerAndClient',
  'NodeRestriction',
  'OptOutRoleAggregation',
  'PasstBinding',
  'PodSecondaryInterfaceNamingUpgrade',
  'RebootPolicy',
  'Snapshot',
  'Template',
  'VmiMemoryOverheadReport',
  'WorkloadEncryptionSEV',
]

/** Renders the lists of KubeVirt's feature gates. */
export function renderGates(rendering: Rendering): void {
  const { environment, nodes, hyperconverged } = rendering.input
  const on = new Set<string>()
  const enable = (name: string, source: ValueSource): void => {
    on.add(name)
    rendering.add(enabled, name, source)
  }
  for (const name of always) enable(name, { kind: 'fixed', why: 'the platform needs it' })
  if (environment['KVM_EMULATION'] !== 'true') enable('HypervStrictCheck', { kind: 'fixed', why: 'guests are not emulated' })
  if (nodes.workloadArchitectures.includes('s390x')) enable('SecureExecution', { kind: 'cluster', what: 'nodes of IBM Z' })
  if (hyperconverged.metadata.annotations?.['hco.kubevirt.io/deployPasstNetworkBinding'] === 'true')
    enable('PasstBinding', { kind: 'user', field: 'metadata.annotations[hco.kubevirt.io/deployPasstNetworkBinding]' })
  if (isTrue(hyperconverged.status?.conditions, injectorReady))
    enable('ExternalNetResourceInjection', { kind: 'cluster', what: `the condition ${injectorReady}` })
  const byField = {
    'virtualization.hypervisors': 'ConfigurableHypervisor',
    'virtualization.roleAggregationStrategy': 'OptOutRoleAggregation',
  }
  for (const [field, name] of Object.entries(byField)) if (rendering.read(field) !== undefined) enable(name, rendering.sourceOf(field))
  for (const gate of rendering.gates()) {
    const names = gate.isOn ? gate.row.kubevirt?.on : gate.row.kubevirt?.off
    for (const name of names ?? []) enable(name, gateSource(gate))
  }
  const align = rendering.gate('alignCPUs')
  if (align?.isOn === true) rendering.annotate('alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity', '', gateSource(align))
  for (const name of betaInKubeVirt)
    if (!on.has(name)) rendering.add(disabled, name, { kind: 'fixed', why: 'promotions of KubeVirt change nothing silently' })
}
