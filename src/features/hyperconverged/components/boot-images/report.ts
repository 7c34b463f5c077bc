import type { DataImportCronTemplateStatus, HyperConvergedStatus } from '#api/hco/v1/status.ts'
import { setCondition } from '#apimachinery/conditions.ts'
import type { Condition } from '#apimachinery/meta/object-meta.ts'
import { valueAt } from '../../value-at.ts'
import { bootImagesOf, imagesByArchitecture, type BootImage, type DescribedPlatform } from './boot-image.ts'
import { importScheduleOf } from './schedule.ts'

/** What imports boot images: SSP, the operator by DataImportCrons, or nothing. */
export type Importer = 'ssp' | 'crons' | undefined

/** Facts that the report needs beside the object. */
export interface BootImageFacts {
  readonly nodeArchitectures: readonly string[]
  readonly importer: Importer
  /** Errors of images whose DataImportCron could not be written, by the name of the image. */
  readonly errors: ReadonlyMap<string, string>
  readonly now: string
}

/** Characters of the list beyond which specs are left out: the size of requests is limited. */
const mostCharacters = 256 * 1024

/** Returns the part of the status that is about boot images. Pure. */
export function bootImageStatus(
  hyperconverged: DescribedPlatform,
  facts: BootImageFacts,
): Pick<HyperConvergedStatus, 'dataImportSchedule' | 'dataImportCronTemplates'> {
  const before = new Map(
    (hyperconverged.status?.dataImportCronTemplates ?? []).map((template) => [
      valueAt(template, ['metadata', 'name']),
      conditionsIn(template),
    ]),
  )
  const images = bootImagesOf(hyperconverged, facts.nodeArchitectures)
  const templates = images.map((image) => templateStatus(image, before.get(image.name) ?? [], facts))
  const isLong = JSON.stringify(templates).length > mostCharacters
  return {
    dataImportSchedule: importScheduleOf(hyperconverged),
    dataImportCronTemplates: isLong ? templates.map(({ spec: _spec, ...template }) => template) : templates,
  }
}

function conditionsIn(template: DataImportCronTemplateStatus): readonly Condition[] {
  const conditions = valueAt(template, ['status', 'conditions'])
  return Array.isArray(conditions) ? (conditions as Condition[]) : []
}

function templateStatus(image: BootImage, before: readonly Condition[], facts: BootImageFacts): DataImportCronTemplateStatus {
  const { name, namespace, labels, annotations, spec, isCommon, isModified, architectures } = image
  const obstacle = obstacleTo(image, facts)
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec,
    status: {
      ...(isCommon ? { commonTemplate: true } : {}),
      ...(isModified ? { modified: true } : {}),
      ...(architectures === undefined ? {} : { originalSupportedArchitectures: architectures.join(',') }),
      ...(obstacle === undefined
        ? {}
        : { conditions: setCondition(before, { type: 'Deployed', status: 'False', ...obstacle }, facts.now) }),
    },
  }
}

/** Why an image is not imported. */
function obstacleTo(
  image: BootImage,
  { nodeArchitectures, importer, errors }: BootImageFacts,
): Pick<Condition, 'reason' | 'message'> | undefined {
  if (!image.isSupported)
    return {
      reason: 'UnsupportedArchitectures',
      message: `no node that runs guests has an architecture of the image: they have ${nodeArchitectures.join(', ') || 'none'}`,
    }
  if (importer === undefined)
    return {
      reason: 'NoImporter',
      message: 'the CRD of DataImportCrons is not there yet: it comes with KubeVirt, or with CDI, and the image is imported then',
    }
  const objects = [image, ...imagesByArchitecture(image, nodeArchitectures)].map((each) => each.name)
  const error = objects.flatMap((each) => errors.get(each) ?? [])[0]
  return error === undefined ? undefined : { reason: 'ImportNotConfigured', message: error }
}
