import { age, type CustomKind } from './custom-kind.ts'

type CdiKind = Pick<CustomKind, 'kind'> & Partial<CustomKind>

/**
 * Returns a kind of CDI. Its status has a URL of its own, also where CDI's has none, so that users
 * with the right to write an object cannot write its status.
 */
function cdiKind({ kind, ...others }: CdiKind & Pick<CustomKind, 'file'>): CustomKind {
  return {
    group: 'cdi.kubevirt.io',
    kind,
    plural: `${kind.toLowerCase()}s`,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    scope: 'Namespaced',
    versions: [{ name: 'v1beta1', storage: true }],
    columns: [],
    subresources: { status: {} },
    ...others,
  }
}

const folder = 'src/api/cdi/v1beta1'

/** Kinds of CDI, with its names and columns. Not installed where CDI runs. */
export const cdiKinds: readonly CustomKind[] = [
  cdiKind({
    kind: 'DataVolume',
    shortNames: ['dv', 'dvs'],
    categories: ['all'],
    columns: [
      { name: 'Phase', description: 'Phase of the data transfer', type: 'string', jsonPath: '.status.phase' },
      { name: 'Progress', description: 'Percentage of the data transfer', type: 'string', jsonPath: '.status.progress' },
      { name: 'Restarts', description: 'Restarts of the pod that transfers the data', type: 'integer', jsonPath: '.status.restartCount' },
      age,
    ],
    file: `${folder}/data-volume.ts`,
  }),
  cdiKind({ kind: 'DataSource', shortNames: ['das'], categories: ['all'], file: `${folder}/data-source.ts` }),
  cdiKind({
    kind: 'DataImportCron',
    shortNames: ['dic', 'dics'],
    categories: ['all'],
    columns: [{ name: 'Format', description: 'Format in which imports are kept', type: 'string', jsonPath: '.status.sourceFormat' }],
    file: `${folder}/data-import-cron.ts`,
  }),
  cdiKind({ kind: 'StorageProfile', scope: 'Cluster', file: `${folder}/storage-profile.ts` }),
  cdiKind({
    kind: 'CDI',
    shortNames: ['cdi', 'cdis'],
    scope: 'Cluster',
    columns: [age, { name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
    file: `${folder}/cdi.ts`,
  }),
  cdiKind({ kind: 'CDIConfig', scope: 'Cluster', file: `${folder}/cdi-config.ts` }),
  cdiKind({ kind: 'VolumeImportSource', file: `${folder}/volume-import-source.ts` }),
  cdiKind({ kind: 'VolumeUploadSource', file: `${folder}/volume-upload-source.ts` }),
  cdiKind({ kind: 'VolumeCloneSource', subresources: {}, file: `${folder}/volume-clone-source.ts` }),
  cdiKind({
    kind: 'ObjectTransfer',
    shortNames: ['ot', 'ots'],
    scope: 'Cluster',
    columns: [age, { name: 'Phase', description: 'Phase of the transfer', type: 'string', jsonPath: '.status.phase' }],
    file: `${folder}/object-transfer.ts`,
  }),
]
