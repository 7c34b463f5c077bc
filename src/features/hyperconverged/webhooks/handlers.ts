import type { AdmissionRequest } from '#api/admission/v1/admission-review.ts'
import type { HyperConverged } from '#api/hco/v1/hyperconverged.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { deepEqual } from '#apimachinery/equality.ts'
import { invalid } from '#apimachinery/errors.ts'
import type { AdmissionHandler } from '#runtime/webhook/admission-answer.ts'
import type { Client } from '#client/client.ts'
import { admitDeletion } from '../lifecycle/uninstall/admit.ts'
import { keptRecords } from '../lifecycle/upgrade/journal.ts'
import { createOverrideHandler } from './admit-override.ts'
import type { DryRun } from './dry-run.ts'
import { mutateHyperConverged } from './mutate.ts'
import { validateHyperConverged, warnOfHyperConverged } from './validate.ts'

/** Paths of the webhooks. */
export const webhookPaths = {
  mutate: '/mutate-hco-kubevirt-io-v1-hyperconverged',
  validate: '/validate-hco-kubevirt-io-v1-hyperconverged',
  override: '/validate-steadyvm-io-v1alpha1-componentoverride',
  convert: '/convert',
} as const

/** Dependencies of {@link createAdmissionHandlers}. */
export interface AdmissionPorts {
  readonly dryRun: DryRun
  /** Asks the components about a deletion. */
  readonly client: Pick<Client, 'get' | 'list' | 'delete'>
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** Creates the handlers by path. The API server converts requests of v1beta1. */
export function createAdmissionHandlers({ dryRun, client, now }: AdmissionPorts): Readonly<Record<string, AdmissionHandler>> {
  return {
    [webhookPaths.mutate]: (request) => {
      const { object, old } = objectsOf(request)
      const isOldVersion = (request.requestKind ?? request.kind).version !== 'v1'
      const { spec, warnings } = mutateHyperConverged({
        spec: object.spec,
        ...(old === undefined ? {} : { oldSpec: old.spec }),
        isOldVersion,
      })
      const annotations = old === undefined ? undefined : keptRecords(old, object)
      const patch = [
        ...(spec === object.spec ? [] : [{ op: 'add', path: '/spec', value: spec } as const]),
        ...(annotations === undefined ? [] : [{ op: 'add', path: '/metadata/annotations', value: annotations } as const]),
      ]
      return Promise.resolve({ allowed: true, warnings, ...(patch.length === 0 ? {} : { patch }) })
    },
    [webhookPaths.validate]: async (request) => {
      if (request.operation === 'DELETE') return admitDeletion(client, request)
      const { object, old } = objectsOf(request)
      // Labels and finalizers may always change.
      if (old !== undefined && deepEqual(old.spec, object.spec) && deepEqual(old.metadata.annotations, object.metadata.annotations))
        return { allowed: true }
      const own = validateHyperConverged(object, old)
      // Components are asked only about what could be rendered.
      const { errors, warnings: unasked } = own.length > 0 ? { errors: own, warnings: [] } : await dryRun.hyperconverged(object, old)
      const warnings = [...warnOfHyperConverged(object), ...unasked]
      if (errors.length === 0) return { allowed: true, warnings }
      return { allowed: false, error: invalid(hyperConvergeds, object.metadata.name ?? '', errors), warnings }
    },
    [webhookPaths.override]: createOverrideHandler(dryRun, now),
  }
}

function objectsOf({ object, oldObject }: AdmissionRequest): { readonly object: HyperConverged; readonly old: HyperConverged | undefined } {
  return { object: object as HyperConverged, old: (oldObject ?? undefined) as HyperConverged | undefined }
}
