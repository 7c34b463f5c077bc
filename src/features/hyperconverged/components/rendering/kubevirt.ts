import { kubeVirtProduct } from '#api/hco/v1/product.ts'
import { isJsonObject } from '#apimachinery/own-property.ts'
import { parseQuantity, QuantityError } from '#apimachinery/quantity.ts'
import { defaultClusterConfig } from '#features/cluster-config/index.ts'
import { renderGates } from './kubevirt-gates.ts'
import { FieldUnusable, gateSource, Rendering, type FieldRow, type Rendered, type RenderingInput } from './rendering.ts'
import { ianaNames, tlsSettingsOf } from './tls-profile.ts'
import type { ValueSource } from './value-source.ts'

const migrations = [
  'parallelMigrationsPerCluster',
  'parallelOutboundMigrationsPerNode',
  'bandwidthPerMigration',
  'completionTimeoutPerGiB',
  'progressTimeout',
  'network',
  'allowAutoConverge',
  'allowPostCopy',
  'allowWorkloadDisruption',
]

/** Fields of HyperConverged that fields of KubeVirt follow. */
export const kubeVirtRows: readonly FieldRow[] = [
  ...migrations.map((name): FieldRow => ({
    field: `virtualization.liveMigrationConfig.${name}`,
    target: `configuration.migrations.${name}`,
    ...(name === 'bandwidthPerMigration' ? { translate: quantity } : {}),
  })),
  { field: 'virtualization.permittedHostDevices', target: 'configuration.permittedHostDevices', translate: hostDevices },
  ...['workloadUpdateMethods', 'batchEvictionSize', 'batchEvictionInterval'].map((name) => ({
    field: `virtualization.workloadUpdateStrategy.${name}`,
    target: `workloadUpdateStrategy.${name}`,
  })),
  { field: 'virtualization.virtualMachineOptions.defaultCPUModel', target: 'configuration.cpuModel' },
  { field: 'virtualization.virtualMachineOptions.defaultRuntimeClass', target: 'configuration.defaultRuntimeClass' },
  {
    field: 'virtualization.higherWorkloadDensity.memoryOvercommitPercentage',
    target: 'configuration.developerConfiguration.memoryOvercommit',
  },
  { field: 'virtualization.liveUpdateConfiguration', target: 'configuration.liveUpdateConfiguration' },
  { field: 'virtualization.ksmConfiguration', target: 'configuration.ksmConfiguration' },
  { field: 'virtualization.changedBlockTrackingLabelSelectors', target: 'configuration.changedBlockTrackingLabelSelectors' },
  { field: 'virtualization.hypervisors', target: 'configuration.hypervisors' },
  { field: 'virtualization.roleAggregationStrategy', target: 'configuration.roleAggregationStrategy' },
  { field: 'virtualization.vmiCPUAllocationRatio', target: 'configuration.developerConfiguration.cpuAllocationRatio' },
  { field: 'virtualization.autoCPULimitNamespaceLabelSelector', target: 'configuration.autoCPULimitNamespaceLabelSelector' },
  { field: 'storage.vmStateStorageClass', target: 'configuration.vmStateStorageClass' },
  { field: 'workloadSources.instancetypeConfig', target: 'configuration.instancetype' },
  { field: 'workloadSources.commonInstancetypesDeployment', target: 'configuration.commonInstancetypesDeployment' },
  ...['ca.duration', 'ca.renewBefore', 'server.duration', 'server.renewBefore'].map((name) => ({
    field: `security.certConfig.${name}`,
    target: `certificateRotateStrategy.selfSigned.${name}`,
  })),
  { field: 'deployment.nodePlacements.workload', target: 'workloads.nodePlacement' },
  { field: 'deployment.uninstallStrategy', target: 'uninstallStrategy' },
  { field: 'deployment.logVerbosityConfig.kubevirt', target: 'configuration.developerConfiguration.logVerbosity' },
]

/** CPU models without mitigations or features that today's guests need. */
const oldModels = ['486', 'pentium', 'pentium2', 'pentium3', 'pentiumpro', 'coreduo', 'n270', 'core2duo', 'Conroe', 'athlon', 'phenom']
const emulatorModels = ['qemu64', 'qemu32', 'kvm64', 'kvm32', 'Opteron_G1', 'Opteron_G2']
export const obsoleteModels: readonly string[] = [...oldModels, ...emulatorModels].flatMap((model) => [model, `${model}-v1`])

/** Renders the KubeVirt object. Pure. */
export function renderKubeVirt(input: RenderingInput): Rendered {
  const rendering = new Rendering(input)
  for (const row of kubeVirtRows) rendering.field(row)
  for (const part of [
    renderGates,
    fixedValues,
    evictionStrategy,
    obsoleteCpus,
    machineOptions,
    mediatedDevices,
    persistentReservation,
    networkBindings,
    rateLimits,
    tls,
    placement,
    environmentValues,
  ])
    part(rendering)
  return rendering.done()
}

function fixedValues(rendering: Rendering): void {
  const { namespace, version } = rendering.input
  const values: Readonly<Record<string, readonly [unknown, string]>> = {
    'configuration.vmRolloutStrategy': ['LiveUpdate', 'changes of VMs reach running guests where possible'],
    'configuration.network.defaultNetworkInterface': ['masquerade', 'guests keep their address when they migrate'],
    'configuration.developerConfiguration.diskVerification.memoryLimit': ['2G', 'large disk images need it'],
    'configuration.seccompConfiguration.virtualMachineInstanceProfile.customProfile.localhostProfile': [
      'kubevirt/kubevirt.json',
      'profile of launchers on the nodes',
    ],
    productName: [kubeVirtProduct.productName, 'name of the product'],
    productVersion: [version, 'version of the product'],
    productComponent: [kubeVirtProduct.productComponent, 'part of the product'],
    serviceMonitorNamespace: [namespace, 'namespace of the operator'],
  }
  for (const [target, [value, why]] of Object.entries(values)) rendering.set(target, value, { kind: 'fixed', why })
}

/** Without a field, the number of nodes decides: a single node has no place to migrate to. */
function evictionStrategy(rendering: Rendering): void {
  const field = 'virtualization.evictionStrategy'
  const chosen = rendering.read(field)
  const late = rendering.input.nodes.workers > 1 ? 'LiveMigrate' : 'None'
  rendering.set(
    'configuration.evictionStrategy',
    chosen ?? late,
    chosen === undefined ? { kind: 'default', of: 'late', field } : rendering.sourceOf(field),
  )
}

function obsoleteCpus(rendering: Rendering): void {
  const field = 'virtualization.obsoleteCPUModels'
  const chosen = rendering.read(field)
  const target = 'configuration.obsoleteCPUModels'
  const models = (names: readonly unknown[]): object => Object.fromEntries(names.map((name) => [String(name), true]))
  const own = Array.isArray(chosen) ? (chosen as unknown[]) : []
  const why = 'models that are obsolete everywhere'
  rendering.set(target, models([...obsoleteModels, ...own]), own.length === 0 ? { kind: 'fixed', why } : { kind: 'user', field })
}

/** KubeVirt reads the presence of an option as true. */
function machineOptions(rendering: Rendering): void {
  for (const name of ['disableFreePageReporting', 'disableSerialConsoleLog']) {
    const field = `virtualization.virtualMachineOptions.${name}`
    if (rendering.read(field) === true) rendering.set(`configuration.virtualMachineOptions.${name}`, {}, rendering.sourceOf(field))
  }
}

/** The field wins over its deprecated gate. */
function mediatedDevices(rendering: Rendering): void {
  const root = 'virtualization.mediatedDevicesConfiguration'
  const target = 'configuration.mediatedDevicesConfiguration'
  for (const name of ['mediatedDeviceTypes', 'nodeMediatedDeviceTypes'])
    rendering.field({ field: `${root}.${name}`, target: `${target}.${name}` })
  const gate = rendering.gate('disableMDevConfiguration')
  if (rendering.read(`${root}.enabled`) !== undefined) rendering.field({ field: `${root}.enabled`, target: `${target}.enabled` })
  else if (gate?.isOn === true) rendering.set(`${target}.enabled`, false, gateSource(gate))
}

/** The field wins over its deprecated gate. */
function persistentReservation(rendering: Rendering): void {
  const [field, target] = ['storage.persistentReservationConfiguration.enabled', 'configuration.persistentReservationConfiguration.enabled']
  const gate = rendering.gate('persistentReservation')
  if (rendering.read(field) !== undefined) rendering.field({ field, target })
  else if (gate?.isOn === true) rendering.set(target, true, gateSource(gate))
}

function networkBindings(rendering: Rendering): void {
  const field = 'networking.networkBinding'
  const target = 'configuration.network.binding'
  const chosen = rendering.read(field)
  // Names of plugins may contain dots, so that the map is written as a whole.
  const l2bridge = { domainAttachmentType: 'managedTap', migration: {} }
  const source: ValueSource = isJsonObject(chosen) ? { kind: 'user', field } : { kind: 'fixed', why: 'binding plugin of layer-2 networks' }
  rendering.set(target, { ...(isJsonObject(chosen) ? chosen : {}), l2bridge }, source)
}

const tuningAnnotation = 'hco.kubevirt.io/tuningPolicy'

/** The same limits for all components. */
function rateLimits(rendering: Rendering): void {
  const field = 'virtualization.tuningPolicy'
  if (rendering.read(field) !== 'annotation') return
  rendering.attempt(field, () => {
    const { qps, burst } = tuningOf(rendering.input.hyperconverged.metadata.annotations?.[tuningAnnotation])
    for (const component of ['apiConfiguration', 'webhookConfiguration', 'controllerConfiguration', 'handlerConfiguration'])
      rendering.set(`configuration.${component}.restClient.rateLimiter.tokenBucketRateLimiter`, { qps, burst }, { kind: 'user', field })
  })
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown
  } catch {
    return undefined
  }
}

function tuningOf(text: string | undefined): { readonly qps: number; readonly burst: number } {
  const wanted = `needs the annotation ${tuningAnnotation} with qps and burst above 0: {"qps": 100, "burst": 200}`
  const value = parsed(text)
  const { qps, burst } = isJsonObject(value) ? value : {}
  if (typeof qps !== 'number' || typeof burst !== 'number' || qps <= 0 || burst <= 0) throw new FieldUnusable(wanted)
  return { qps, burst }
}

function tls(rendering: Rendering): void {
  const field = 'security.tlsSecurityProfile'
  const { profile, source } = rendering.tlsProfile() ?? {
    profile: undefined,
    source: { kind: 'fixed', why: 'profile Intermediate' } as const,
  }
  rendering.attempt(field, () => {
    const { minTLSVersion, ciphers } = tlsSettingsOf(profile)
    rendering.set('configuration.tlsConfiguration.minTLSVersion', minTLSVersion, source)
    const names = ianaNames(ciphers)
    if (names.length > 0) rendering.set('configuration.tlsConfiguration.ciphers', names, source)
  })
}

/**
 * Without a placement, KubeVirt would look for nodes of a control plane, which a small cluster may
 * not have, and would run two replicas on one node.
 */
function placement(rendering: Rendering): void {
  const field = 'deployment.nodePlacements.infra'
  const { controlPlanes, workers } = rendering.input.nodes
  const chosen = rendering.read(field)
  const source: ValueSource = { kind: 'cluster', what: `${controlPlanes} nodes of the control plane and ${workers} for guests` }
  if (chosen !== undefined) rendering.field({ field, target: 'infra.nodePlacement' })
  else if (controlPlanes === 0) rendering.set('infra.nodePlacement', {}, source)
  const isSingle = controlPlanes === 0 ? workers < 2 : controlPlanes < 2
  if (isSingle) rendering.set('infra.replicas', 1, source)
}

const machineTypeVariables = { amd64: 'AMD64_MACHINETYPE', arm64: 'ARM64_MACHINETYPE', s390x: 'S390X_MACHINETYPE' } as const

/** Settings of the operator, and the architecture of the nodes. */
function environmentValues(rendering: Rendering): void {
  const { environment, nodes } = rendering.input
  const of = (variable: string): ValueSource => ({ kind: 'cluster', what: `setting ${variable} of the operator` })
  for (const [architecture, variable] of Object.entries(machineTypeVariables)) {
    const name = architecture === 'amd64' && environment[variable] === undefined ? 'MACHINETYPE' : variable
    const machineType = environment[name]
    if (machineType === undefined || machineType === '') continue
    const target = `configuration.architectureConfiguration.${architecture}`
    rendering.set(`${target}.machineType`, machineType, of(name))
    rendering.set(`${target}.emulatedMachines`, [...(defaultClusterConfig.emulatedMachines[architecture] ?? [])], of(name))
  }
  if (nodes.defaultArchitecture !== undefined)
    rendering.set('configuration.architectureConfiguration.defaultArchitecture', nodes.defaultArchitecture, {
      kind: 'cluster',
      what: 'architecture of the nodes',
    })
  const smbios = parsed(environment['SMBIOS'])
  if (isJsonObject(smbios)) rendering.set('configuration.smbios', smbios, of('SMBIOS'))
  if (environment['KVM_EMULATION'] === 'true') rendering.set('configuration.developerConfiguration.useEmulation', true, of('KVM_EMULATION'))
}

function quantity(value: unknown): unknown {
  try {
    if (parseQuantity(value as string | number).nanos >= 0n) return value
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
  }
  throw new FieldUnusable(`must be a quantity such as 64Mi, or 0 for no limit, and is ${JSON.stringify(value)}`)
}

/** Drops disabled devices, and renames what KubeVirt calls otherwise. */
function hostDevices(value: unknown): unknown {
  if (!isJsonObject(value)) return value
  const listOf = (name: string, rename: (device: Readonly<Record<string, unknown>>) => object): object => {
    const list = value[name]
    if (!Array.isArray(list)) return {}
    const devices = list.filter(
      (device): device is Readonly<Record<string, unknown>> => isJsonObject(device) && device['disabled'] !== true,
    )
    const target = name === 'usbHostDevices' ? 'usb' : name
    return { [target]: devices.map(({ disabled: _disabled, ...device }) => rename(device)) }
  }
  return {
    ...listOf('pciHostDevices', ({ pciDeviceSelector, ...device }) => ({ pciVendorSelector: pciDeviceSelector, ...device })),
    ...listOf('usbHostDevices', (device) => device),
    ...listOf('mediatedDevices', (device) => device),
  }
}
