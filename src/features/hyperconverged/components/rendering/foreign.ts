import { bootImagesOf, importTemplateOf, sourceOfImage } from '../boot-images/boot-image.ts'
import { FieldUnusable, gateSource, Rendering, type FieldRow, type Rendered, type RenderingInput } from './rendering.ts'

const tlsTarget = 'tlsSecurityProfile'

/** Fields of HyperConverged that fields of NetworkAddonsConfig follow. */
export const networkRows: readonly FieldRow[] = [
  { field: 'networking.kubeMacPoolConfiguration.rangeStart', target: 'kubeMacPool.rangeStart' },
  { field: 'networking.kubeMacPoolConfiguration.rangeEnd', target: 'kubeMacPool.rangeEnd' },
  { field: 'deployment.nodePlacements.infra', target: 'placementConfiguration.infra' },
  { field: 'deployment.nodePlacements.workload', target: 'placementConfiguration.workloads' },
  { field: 'security.certConfig.ca.duration', target: 'selfSignConfiguration.caRotateInterval' },
  { field: 'security.certConfig.ca.renewBefore', target: 'selfSignConfiguration.caOverlapInterval' },
  { field: 'security.certConfig.server.duration', target: 'selfSignConfiguration.certRotateInterval' },
  { field: 'security.certConfig.server.renewBefore', target: 'selfSignConfiguration.certOverlapInterval' },
]

/** Renders the NetworkAddonsConfig object. Pure. */
export function renderNetworkAddons(input: RenderingInput): Rendered {
  const rendering = new Rendering(input)
  for (const row of networkRows) rendering.field(row)
  rendering.tlsProfileTo(tlsTarget)
  for (const name of ['multus', 'linuxBridge', 'kubevirtIpamController'])
    rendering.set(name, {}, { kind: 'fixed', why: 'networks of guests need it' })
  if (input.cluster?.isOpenShift === true)
    rendering.set('kubevirtIpamController.defaultNetworkNADNamespace', 'openshift-ovn-kubernetes', {
      kind: 'cluster',
      what: 'namespace of the networks of OpenShift',
    })
  if (rendering.read('networking.kubeMacPoolConfiguration') === undefined)
    rendering.set('kubeMacPool', {}, { kind: 'fixed', why: 'interfaces get MAC addresses' })
  if (input.hyperconverged.metadata.annotations?.['deployOVS'] === 'true')
    rendering.set('ovs', {}, { kind: 'user', field: 'metadata.annotations[deployOVS]' })
  secondaryNames(rendering)
  return rendering.done()
}

const address = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

function secondaryNames(rendering: Rendering): void {
  const field = 'networking.kubeSecondaryDNSNameServerIP'
  const server = rendering.read(field)
  rendering.attempt(field, () => {
    if (server !== undefined && server !== '' && (typeof server !== 'string' || !address.test(server)))
      throw new FieldUnusable(`must be an IPv4 address, and is ${JSON.stringify(server)}`)
  })
  const gate = rendering.gate('deployKubeSecondaryDNS')
  if (gate?.isOn !== true) return
  const domain = rendering.input.environment['BASE_DOMAIN']
  if (domain !== undefined && domain !== '')
    rendering.set('kubeSecondaryDNS.domain', domain, { kind: 'cluster', what: 'setting BASE_DOMAIN of the operator' })
  else if (server === undefined) rendering.set('kubeSecondaryDNS', {}, gateSource(gate))
  rendering.field({ field, target: 'kubeSecondaryDNS.nameServerIP' })
}

/** Fields of HyperConverged that fields of SSP follow. */
export const templateRows: readonly FieldRow[] = [
  { field: 'deployment.deployVmConsoleProxy', target: 'tokenGenerationService.enabled' },
  { field: 'deployment.nodePlacements.infra', target: 'templateValidator.placement' },
]

/** Renders the SSP object. Pure. */
export function renderTemplates(input: RenderingInput): Rendered {
  const rendering = new Rendering(input)
  for (const row of templateRows) rendering.field(row)
  rendering.tlsProfileTo(tlsTarget)
  for (const image of bootImagesOf(input.hyperconverged, input.nodes.workloadArchitectures))
    if (image.isSupported)
      rendering.add('commonTemplates.dataImportCronTemplates', importTemplateOf(image), sourceOfImage(rendering, image))
  const field = 'workloadSources.commonTemplatesNamespace'
  if (rendering.read(field) === undefined)
    rendering.set('commonTemplates.namespace', 'openshift', { kind: 'fixed', why: 'namespace of templates of OpenShift' })
  else rendering.field({ field, target: 'commonTemplates.namespace' })
  const multi = 'workloadSources.enableMultiArchBootImageImport'
  const gate = rendering.gate('enableMultiArchBootImageImport')
  if (rendering.read(multi) !== undefined) rendering.field({ field: multi, target: 'enableMultipleArchitectures' })
  else if (gate !== undefined) rendering.set('enableMultipleArchitectures', gate.isOn, gateSource(gate))
  rendering.set('templateValidator.replicas', 2, { kind: 'fixed', why: 'one of two may be restarted' })
  const { workloadArchitectures, controlPlaneArchitectures } = input.nodes
  const source = { kind: 'cluster', what: 'architectures of the nodes' } as const
  rendering.set('cluster.workloadArchitectures', [...workloadArchitectures], source)
  rendering.set('cluster.controlPlaneArchitectures', [...controlPlaneArchitectures], source)
  return rendering.done()
}

/** Fields of HyperConverged that fields of AAQ follow. */
export const quotaRows: readonly FieldRow[] = [
  {
    field: 'deployment.applicationAwareConfig.vmiCalcConfigName',
    target: 'configuration.vmiCalculatorConfiguration.configName',
  },
  {
    field: 'deployment.applicationAwareConfig.allowApplicationAwareClusterResourceQuota',
    target: 'configuration.allowApplicationAwareClusterResourceQuota',
  },
  { field: 'deployment.applicationAwareConfig.namespaceSelector', target: 'namespaceSelector' },
  { field: 'deployment.nodePlacements.infra', target: 'infra' },
  { field: 'deployment.nodePlacements.workload', target: 'workload' },
  ...['ca.duration', 'ca.renewBefore', 'server.duration', 'server.renewBefore'].map((name) => ({
    field: `security.certConfig.${name}`,
    target: `certConfig.${name}`,
  })),
]

/** Renders the AAQ object. Pure. */
export function renderQuotas(input: RenderingInput): Rendered {
  const rendering = new Rendering(input)
  for (const row of quotaRows) rendering.field(row)
  rendering.tlsProfileTo(tlsTarget)
  rendering.set('priorityClass', 'kubevirt-cluster-critical', { kind: 'fixed', why: 'quotas must not be evicted' })
  return rendering.done()
}

/** Fields of HyperConverged that fields of MigController and FileRestoreOperator follow. */
export const placedRows: readonly FieldRow[] = [{ field: 'deployment.nodePlacements.infra', target: 'infra' }]

/** Renders the MigController object. Pure. */
export function renderMigration(input: RenderingInput): Rendered {
  const rendering = new Rendering(input)
  for (const row of placedRows) rendering.field(row)
  rendering.tlsProfileTo(tlsTarget)
  return rendering.done()
}

/** Renders the FileRestoreOperator object. Pure. */
export function renderFileRestore(input: RenderingInput): Rendered {
  const rendering = new Rendering(input)
  rendering.tlsProfileTo(tlsTarget)
  return rendering.done()
}
