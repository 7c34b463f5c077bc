import type { KubeVirt, KubeVirtConfiguration } from '#api/kubevirt/v1/kubevirt.ts'
import { defaultClusterConfig, type ClusterConfig } from '#features/defaults/index.ts'

/** The configuration on which a plan depends. */
export interface PlannedConfig {
  readonly cluster: ClusterConfig
  readonly rolloutStrategy: 'LiveUpdate' | 'Stage'
  readonly referencePolicy: 'reference' | 'expand' | 'expandAll'
}

/** The configuration that a KubeVirt object asks for. */
export function plannedConfigOf(kubevirt: KubeVirt | undefined): PlannedConfig {
  const configuration = kubevirt?.spec.configuration ?? {}
  return {
    cluster: clusterConfigOf(configuration),
    rolloutStrategy: configuration.vmRolloutStrategy === 'Stage' ? 'Stage' : 'LiveUpdate',
    referencePolicy: referencePolicyOf(configuration.instancetype?.referencePolicy),
  }
}

function referencePolicyOf(policy: string | undefined): PlannedConfig['referencePolicy'] {
  return policy === 'expand' || policy === 'expandAll' ? policy : 'reference'
}

function clusterConfigOf(configuration: KubeVirtConfiguration): ClusterConfig {
  const { architectureConfiguration, cpuModel, evictionStrategy, liveUpdateConfiguration, network } = configuration
  const { defaultArchitecture, ...architectures } = architectureConfiguration ?? {}
  const machineTypes = Object.entries(architectures).flatMap(([architecture, { machineType = '' }]) =>
    machineType === '' ? [] : [[architecture, machineType] as const],
  )
  const card = network?.defaultNetworkInterface
  return {
    ...defaultClusterConfig,
    ...(defaultArchitecture === undefined ? {} : { architecture: defaultArchitecture }),
    machineTypes: { ...defaultClusterConfig.machineTypes, ...Object.fromEntries(machineTypes) },
    ...(cpuModel === undefined ? {} : { cpuModel }),
    ...(evictionStrategy === undefined ? {} : { evictionStrategy: evictionStrategy as ClusterConfig['evictionStrategy'] }),
    ...(liveUpdateConfiguration?.maxHotplugRatio === undefined ? {} : { maxHotplugRatio: liveUpdateConfiguration.maxHotplugRatio }),
    ...(card === 'bridge' || card === 'masquerade' ? { networkInterface: card } : {}),
  }
}
