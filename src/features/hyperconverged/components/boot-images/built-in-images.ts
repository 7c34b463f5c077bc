import type { DataImportCronTemplate } from '#api/hco/v1/workload-sources.ts'

/** A boot image that every platform imports, unless it is switched off. */
export interface CommonImage {
  /** Name of the DataSource that leads to the newest import. */
  readonly name: string
  readonly url: string
  /** Size of the disk. */
  readonly storage: string
  readonly architectures: readonly string[]
}

const everywhere = ['amd64', 'arm64', 's390x'] as const

/** The images that upstream's operator imports. */
const commonImages: readonly CommonImage[] = [
  { name: 'centos-stream10', url: 'docker://quay.io/containerdisks/centos-stream:10', storage: '10Gi', architectures: everywhere },
  { name: 'centos-stream9', url: 'docker://quay.io/containerdisks/centos-stream:9', storage: '10Gi', architectures: everywhere },
  { name: 'fedora', url: 'docker://quay.io/containerdisks/fedora:latest', storage: '5Gi', architectures: everywhere },
]

/** Annotation of a template: architectures of its image, separated by commas. */
export const architecturesAnnotation = 'ssp.kubevirt.io/dict.architectures'

/** Annotation with which CDI imports before a pod uses the disk. */
export const immediateBindAnnotation = 'cdi.kubevirt.io/storage.bind.immediate.requested'

/** Values of templates that are absent; CDI would keep three images, and all of a removed cron. */
export const templateDefaults: { readonly retentionPolicy: string; readonly importsToKeep: number } = {
  retentionPolicy: 'None',
  importsToKeep: 1,
}

/** Returns the templates of the common boot images with the schedule of the platform. Pure. */
export function commonTemplates(schedule: string): readonly DataImportCronTemplate[] {
  return commonImages.map(({ name, url, storage, architectures }) => ({
    metadata: {
      name: `${name}-image-cron`,
      annotations: { [immediateBindAnnotation]: 'true', [architecturesAnnotation]: architectures.join(',') },
    },
    spec: {
      garbageCollect: 'Outdated',
      ...templateDefaults,
      managedDataSource: name,
      schedule,
      template: { spec: { source: { registry: { url } }, storage: { resources: { requests: { storage } } } } },
    },
  }))
}
