import { Rendering, type FieldRow, type Rendered, type RenderingInput } from './rendering.ts'

/** Fields of HyperConverged that fields of CDI follow. */
export const importRows: readonly FieldRow[] = [
  { field: 'storage.scratchSpaceStorageClass', target: 'config.scratchSpaceStorageClass' },
  { field: 'storage.storageImport.insecureRegistries', target: 'config.insecureRegistries' },
  { field: 'storage.filesystemOverhead', target: 'config.filesystemOverhead' },
  { field: 'storage.workloadResourceRequirements', target: 'config.podResourceRequirements' },
  { field: 'deployment.logVerbosityConfig.cdi', target: 'config.logVerbosity' },
  { field: 'deployment.uninstallStrategy', target: 'uninstallStrategy' },
  { field: 'deployment.nodePlacements.infra', target: 'infra' },
  { field: 'deployment.nodePlacements.workload', target: 'workload' },
  ...['ca.duration', 'ca.renewBefore', 'server.duration', 'server.renewBefore'].map((name) => ({
    field: `security.certConfig.${name}`,
    target: `certConfig.${name}`,
  })),
]

/** Renders the CDI object. Pure. */
export function renderStorageImport(input: RenderingInput): Rendered {
  const rendering = new Rendering(input)
  for (const row of importRows) rendering.field(row)
  rendering.tlsProfileTo('config.tlsSecurityProfile')
  for (const [name, why] of Object.entries({
    HonorWaitForFirstConsumer: 'volumes are provisioned where their guest runs',
    DataVolumeClaimAdoption: 'restored claims are adopted',
  }))
    rendering.add('config.featureGates', name, { kind: 'fixed', why })
  rendering.annotate('cdi.kubevirt.io/configAuthority', '', { kind: 'fixed', why: 'CDIConfig follows this object' })
  return rendering.done()
}
