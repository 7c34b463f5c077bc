import type { CustomResourceConversion } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { WebhookCaller } from '#apiserver/admission/webhooks/webhook-caller.ts'
import type { VersionFamily } from '#apiserver/registry/resource-definition.ts'
import { ConversionFailure } from './conversion-failure.ts'
import {
  acceptConverted,
  commonReviewVersion,
  convertedObjectsOf,
  convertedPlace,
  conversionReviewOf,
  groupVersionKindText,
} from './conversion-review.ts'

/** Dependencies of conversion by webhooks. */
export interface ConversionPorts {
  readonly caller: Pick<WebhookCaller, 'post'>
  readonly randomUuid: () => string
}

const timeoutSeconds = 30

/** Returns the conversion of a definition; undefined when only the apiVersion changes. */
export function conversionOf({ strategy, webhook }: CustomResourceConversion, ports: ConversionPorts): VersionFamily['convert'] {
  if (strategy !== 'Webhook') return undefined
  const version = commonReviewVersion(webhook?.conversionReviewVersions ?? [])
  const clientConfig = webhook?.clientConfig ?? {}
  return async (objects, apiVersion) => {
    const [first] = objects
    if (first === undefined) return []
    try {
      return await ask(objects, apiVersion)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw failure(`conversion webhook for ${groupVersionKindText(first)} ${why}`, error)
    }
  }

  async function ask(objects: readonly KubeObject[], apiVersion: string): Promise<readonly KubeObject[]> {
    const converted = await post(objects, apiVersion).catch((error: unknown) => {
      throw new ConversionFailure(`failed: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    })
    if (converted.length !== objects.length) throw new ConversionFailure(`returned ${converted.length} objects, expected ${objects.length}`)
    return objects.map((object, index) => {
      const place = convertedPlace(index, objects.length)
      try {
        return acceptConverted(object, converted[index], apiVersion, place)
      } catch (error) {
        throw new ConversionFailure(`returned ${error instanceof Error ? error.message : String(error)}`, { cause: error })
      }
    })
  }

  async function post(objects: readonly KubeObject[], apiVersion: string): Promise<readonly unknown[]> {
    if (version === undefined) throw new ConversionFailure('it speaks no version of ConversionReview that this server knows: v1, v1beta1')
    const uid = ports.randomUuid()
    const review = conversionReviewOf(version, uid, objects, apiVersion)
    return convertedObjectsOf(await ports.caller.post({ clientConfig }, review, timeoutSeconds), version, uid)
  }
}

/** 500 without a reason, as Kubernetes answers. */
function failure(message: string, cause: unknown): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: '', code: 500 }, { cause })
}
