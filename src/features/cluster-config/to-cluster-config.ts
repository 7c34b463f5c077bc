import type {
  ArchitectureConfiguration,
  ArchitectureSpecificConfiguration,
  KubeVirt,
  KubeVirtConfiguration,
  KubeVirtWorkloadUpdateStrategy,
  MigrationConfiguration,
} from '#api/kubevirt/v1/kubevirt.ts'
import { defaultClusterConfig, type ClusterConfig, type MigrationDefaults } from './cluster-config.ts'
import { readTls } from './components/tls-limits.ts'
import { featureGates, openByDefault } from './feature-gates.ts'
import { annotationProblems } from './setting-annotations.ts'
import { SettingReader, type ConfigProblem, type Fallback } from './setting-reader.ts'

/** Settings of a KubeVirt object, and their problems. */
export interface ConfigReading {
  readonly config: ClusterConfig
  /**
   * Values that were not understood, in the order of the settings. Each of them is as it was
   * before.
   */
  readonly problems: readonly ConfigProblem[]
}

/** The configuration of a cluster with this KubeVirt object, or without one. */
export function toClusterConfig(kubevirt: KubeVirt | undefined): ClusterConfig {
  return readClusterConfig(kubevirt, defaultClusterConfig).config
}

/**
 * Reads the settings and their problems. `last` are the previous settings, which invalid values
 * keep.
 */
export function readClusterConfig(kubevirt: KubeVirt | undefined, last: ClusterConfig): ConfigReading {
  const reader = new SettingReader()
  const configuration = kubevirt?.spec?.configuration ?? {}
  const base = { ...readCpu(reader, configuration, last), ...readPolicies(reader, configuration, last) }
  const config: ClusterConfig = {
    ...base,
    ...readLiveUpdate(reader, configuration, last),
    ...readArchitectures(configuration, kubevirt?.status?.defaultArchitecture),
    workloadUpdateMethods: reader.choices(
      'spec.workloadUpdateStrategy.workloadUpdateMethods',
      kubevirt?.spec?.workloadUpdateStrategy?.workloadUpdateMethods,
      ['LiveMigrate', 'Evict'],
      of(last, 'workloadUpdateMethods'),
    ),
    useEmulation: configuration.developerConfiguration?.useEmulation === true,
    commonInstancetypes: configuration.commonInstancetypesDeployment?.enabled ?? defaultClusterConfig.commonInstancetypes,
    ...readUpdateBatches(reader, kubevirt?.spec?.workloadUpdateStrategy, last),
    featureGates: readFeatureGates(reader, configuration),
    ...optional('imageVolumes', readImageVolumes(configuration)),
    migrations: readMigrations(reader, configuration.migrations ?? {}, last.migrations),
    tls: readTls(reader, `${root}.tlsConfiguration`, configuration.tlsConfiguration, last.tls),
  }
  return { config, problems: [...reader.problems, ...(kubevirt === undefined ? [] : annotationProblems(kubevirt))] }
}

const root = 'spec.configuration'
const gatesPath = `${root}.developerConfiguration`

function of<K extends keyof ClusterConfig>(last: ClusterConfig, key: K): Fallback<ClusterConfig[K]> {
  return { unset: defaultClusterConfig[key], last: last[key] }
}

type CpuSettings = Pick<ClusterConfig, 'cpuModel' | 'cpuRequest' | 'cpuAllocationRatio' | 'memoryOvercommitPercent'>

function readCpu(reader: SettingReader, configuration: KubeVirtConfiguration, last: ClusterConfig): CpuSettings {
  const { cpuModel, cpuRequest, developerConfiguration: developer } = configuration
  const path = `${root}.developerConfiguration`
  return {
    cpuModel: cpuModel || defaultClusterConfig.cpuModel,
    ...optional('cpuRequest', reader.quantity(`${root}.cpuRequest`, cpuRequest, last.cpuRequest)),
    cpuAllocationRatio: reader.count(`${path}.cpuAllocationRatio`, developer?.cpuAllocationRatio, 1, of(last, 'cpuAllocationRatio')),
    memoryOvercommitPercent: reader.count(`${path}.memoryOvercommit`, developer?.memoryOvercommit, 1, of(last, 'memoryOvercommitPercent')),
  }
}

type LiveUpdateSettings = Pick<ClusterConfig, 'maxHotplugRatio' | 'maxCpuSockets' | 'maxGuest'>

function readLiveUpdate(reader: SettingReader, configuration: KubeVirtConfiguration, last: ClusterConfig): LiveUpdateSettings {
  const live = configuration.liveUpdateConfiguration
  const path = `${root}.liveUpdateConfiguration`
  return {
    maxHotplugRatio: reader.count(`${path}.maxHotplugRatio`, live?.maxHotplugRatio, 1, of(last, 'maxHotplugRatio')),
    ...optional('maxCpuSockets', reader.count(`${path}.maxCpuSockets`, live?.maxCpuSockets, 1, of(last, 'maxCpuSockets'))),
    ...optional('maxGuest', reader.quantity(`${path}.maxGuest`, live?.maxGuest, last.maxGuest)),
  }
}

type PolicySettings = Pick<
  ClusterConfig,
  'networkInterface' | 'permitsPodBridge' | 'evictionStrategy' | 'rolloutStrategy' | 'referencePolicy'
>

function readPolicies(reader: SettingReader, configuration: KubeVirtConfiguration, last: ClusterConfig): PolicySettings {
  const { network, evictionStrategy, vmRolloutStrategy, instancetype } = configuration
  return {
    networkInterface: reader.choice(
      `${root}.network.defaultNetworkInterface`,
      network?.defaultNetworkInterface,
      ['bridge', 'masquerade'],
      of(last, 'networkInterface'),
    ),
    permitsPodBridge: network?.permitBridgeInterfaceOnPodNetwork !== false,
    evictionStrategy: reader.choice(
      `${root}.evictionStrategy`,
      evictionStrategy,
      ['None', 'LiveMigrate', 'LiveMigrateIfPossible', 'External'],
      of(last, 'evictionStrategy'),
    ),
    rolloutStrategy: reader.choice(`${root}.vmRolloutStrategy`, vmRolloutStrategy, ['LiveUpdate', 'Stage'], of(last, 'rolloutStrategy')),
    referencePolicy: reader.choice(
      `${root}.instancetype.referencePolicy`,
      instancetype?.referencePolicy,
      ['reference', 'expand', 'expandAll'],
      of(last, 'referencePolicy'),
    ),
  }
}

function readMigrations(reader: SettingReader, settings: MigrationConfiguration, last: MigrationDefaults): MigrationDefaults {
  const { migrations: unset } = defaultClusterConfig
  const count = (key: NumberSetting, least: number): number =>
    reader.count(`${root}.migrations.${key}`, settings[key], least, { unset: unset[key], last: last[key] })
  const { bandwidthPerMigration: bandwidth, allowPostCopy = false, network } = settings
  // KubeVirt's notation for no limit.
  const isLimited = bandwidth !== undefined && !/^0+$/.test(String(bandwidth))
  const limit = reader.quantity(`${root}.migrations.bandwidthPerMigration`, isLimited ? bandwidth : undefined, last.bandwidthPerMigration)
  return {
    parallelMigrationsPerCluster: count('parallelMigrationsPerCluster', 1),
    parallelOutboundMigrationsPerNode: count('parallelOutboundMigrationsPerNode', 1),
    ...optional('bandwidthPerMigration', limit),
    completionTimeoutPerGiB: count('completionTimeoutPerGiB', 1),
    progressTimeout: count('progressTimeout', 1),
    maxDowntimeMs: count('maxDowntimeMs', 1),
    allowAutoConverge: settings.allowAutoConverge === true,
    allowPostCopy: allowPostCopy === true,
    allowWorkloadDisruption: settings.allowWorkloadDisruption ?? allowPostCopy,
    disableTLS: settings.disableTLS === true,
    ...optional('network', typeof network === 'string' && network !== '' ? network : undefined),
  }
}

type NumberSetting =
  | 'parallelMigrationsPerCluster'
  | 'parallelOutboundMigrationsPerNode'
  | 'completionTimeoutPerGiB'
  | 'progressTimeout'
  | 'maxDowntimeMs'

/** The old setting without architecture is for all of them, and wins. */
function readArchitectures(
  configuration: KubeVirtConfiguration,
  installed: string | undefined,
): Pick<ClusterConfig, 'architecture' | 'machineTypes' | 'emulatedMachines'> {
  const { architectureConfiguration: byArchitecture = {}, machineType = '', emulatedMachines: forAll } = configuration
  const { machineTypes, emulatedMachines } = defaultClusterConfig
  const of = (architecture: string): ArchitectureSpecificConfiguration =>
    byArchitecture?.[architecture as keyof Omit<ArchitectureConfiguration, 'defaultArchitecture'>] ?? {}
  const typeOf = (architecture: string): string | undefined => machineType || of(architecture).machineType
  return {
    architecture: byArchitecture?.defaultArchitecture || installed || defaultClusterConfig.architecture,
    machineTypes: Object.fromEntries(Object.entries(machineTypes).map(([name, type]) => [name, typeOf(name) || type])),
    emulatedMachines: Object.fromEntries(
      Object.entries(emulatedMachines).map(([name, patterns]) => [name, forAll ?? of(name).emulatedMachines ?? patterns]),
    ),
  }
}

type BatchSettings = Pick<ClusterConfig, 'workloadUpdateBatchSize' | 'workloadUpdateBatchIntervalMs'>

function readUpdateBatches(
  reader: SettingReader,
  strategy: KubeVirtWorkloadUpdateStrategy | undefined,
  last: ClusterConfig,
): BatchSettings {
  const path = 'spec.workloadUpdateStrategy'
  const { batchEvictionSize: size, batchEvictionInterval: interval } = strategy ?? {}
  return {
    // A batch size of 0 would stop updates silently.
    workloadUpdateBatchSize: reader.count(`${path}.batchEvictionSize`, size, 1, of(last, 'workloadUpdateBatchSize')),
    workloadUpdateBatchIntervalMs: reader.duration(`${path}.batchEvictionInterval`, interval, of(last, 'workloadUpdateBatchIntervalMs')),
  }
}

/** A gate that is both enabled and disabled is disabled. */
function readFeatureGates(reader: SettingReader, { developerConfiguration: developer }: KubeVirtConfiguration): readonly string[] {
  const [on, off] = [developer?.featureGates ?? [], developer?.disabledFeatureGates ?? []]
  reader.without(`${gatesPath}.disabledFeatureGates`, off, { field: `${gatesPath}.featureGates`, names: on })
  return [...new Set([...openByDefault, ...on])].filter((gate) => !off.includes(gate))
}

/** Returns undefined unless the gate is named. */
function readImageVolumes({ developerConfiguration: developer }: KubeVirtConfiguration): boolean | undefined {
  if (developer?.disabledFeatureGates?.includes('ImageVolume') === true) return false
  return developer?.featureGates?.includes('ImageVolume') === true ? true : undefined
}

/** Names of unknown feature gates, with their paths. */
export function unknownGates({ spec }: Pick<KubeVirt, 'spec'>): readonly { readonly field: string; readonly gate: string }[] {
  const developer = spec?.configuration?.developerConfiguration
  return (['featureGates', 'disabledFeatureGates'] as const).flatMap((list) =>
    [...new Set(developer?.[list])]
      .filter((gate) => !Object.hasOwn(featureGates, gate))
      .map((gate) => ({ field: `${gatesPath}.${list}`, gate })),
  )
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V })
}
