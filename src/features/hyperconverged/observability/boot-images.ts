import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { readGates } from '../gates/read-gates.ts'
import { valueAt } from '../value-at.ts'

/** A boot image that a HyperConverged object lists. */
export interface BootImage {
  readonly labels: { readonly data_import_cron_name: string; readonly managed_data_source_name: string }
  /** Undefined: it does not name them. */
  readonly architectures: readonly string[] | undefined
}

const enableAnnotation = 'dataimportcrontemplate.kubevirt.io/enable'
const architecturesAnnotation = 'ssp.kubevirt.io/dict.architectures'

/** True when images of all architectures are imported: by the field, else by the gate. Pure. */
export function isMultiArchEnabled({ spec }: Pick<HyperConverged, 'spec'>): boolean {
  return (
    spec?.workloadSources?.enableMultiArchBootImageImport ??
    readGates(spec?.featureGates).get('enableMultiArchBootImageImport')?.isOn === true
  )
}

/**
 * Returns the boot images whose architectures matter: those that are switched on, when images of
 * all architectures are imported. Common ones are not among them: they are not imported yet. Pure.
 */
export function bootImagesOf(hyperconverged: Pick<HyperConverged, 'spec'> | undefined): readonly BootImage[] {
  if (hyperconverged === undefined || !isMultiArchEnabled(hyperconverged)) return []
  return (hyperconverged.spec?.workloadSources?.dataImportCronTemplates ?? []).flatMap((template) => {
    const text = (...path: readonly string[]): string | undefined => {
      const value = valueAt(template, path)
      return typeof value === 'string' ? value : undefined
    }
    if (text('metadata', 'annotations', enableAnnotation) === 'false') return []
    const names = text('metadata', 'annotations', architecturesAnnotation)
    return [
      {
        labels: {
          data_import_cron_name: text('metadata', 'name') ?? '',
          managed_data_source_name: text('spec', 'managedDataSource') ?? '',
        },
        architectures: names?.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])),
      },
    ]
  })
}
