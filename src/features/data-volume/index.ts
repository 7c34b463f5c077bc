/**
 * DataVolumes: creates their claims, and fills them by workers from web servers, S3, registries,
 * uploads and other volumes.
 *
 * `createDataVolumeControllers` runs in virt-controller. The pure parts are `decide` (a DataVolume
 * and its claim), `decideFill` (a claim and its worker or its driver), `chooseClone` (which of both
 * copies) and `renderClaim` (what a claim looks like). `populator` fills claims that name their
 * content, without a DataVolume: `decidePopulation`. The worker itself is `#importer`, settings and
 * storage classes are `#features/storage-profile`. Nothing here acts where the cluster runs CDI:
 * `#features/foreign-cdi`.
 */
export { createDataVolumeControllers, type DataVolumeControllerOptions } from './controller.ts'
export { admitDataVolume } from './admission/admit-data-volume.ts'
export { completeClaim } from './admission/complete-claim.ts'
export { mayClone, serviceAccountUser } from './admission/clone-access.ts'
export { validatePopulationSource } from './admission/validate-population-source.ts'
export { validateDataVolumeSpec } from './admission/validate-spec.ts'
export { names as volumeNames } from './names.ts'
export type { PopulationSource } from './populator/population.ts'
export { primeName } from './populator/prime.ts'
export { requestWorker } from './worker/worker-client.ts'
