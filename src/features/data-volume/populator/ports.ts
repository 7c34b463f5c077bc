import type { VolumeCloneSource } from '#api/cdi/v1beta1/volume-clone-source.ts'
import type { VolumeImportSource } from '#api/cdi/v1beta1/volume-import-source.ts'
import type { VolumeUploadSource } from '#api/cdi/v1beta1/volume-upload-source.ts'
import type { Lister } from '#runtime/cache/lister.ts'
import type { FillPorts } from '../ports.ts'

/** Dependencies of the reconciler of claims that name their content. */
export interface PopulationPorts extends FillPorts {
  readonly importSources: Pick<Lister<VolumeImportSource>, 'get'>
  readonly uploadSources: Pick<Lister<VolumeUploadSource>, 'get'>
  readonly cloneSources: Pick<Lister<VolumeCloneSource>, 'get'>
}
