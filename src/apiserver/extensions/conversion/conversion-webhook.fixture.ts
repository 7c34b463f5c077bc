import { createServer } from 'node:https'
import { json } from 'node:stream/consumers'
import type { ConversionResponse, ConversionReview } from '#api/apiextensions/v1/conversion-review.ts'
import type { CustomResourceConversion } from '#api/apiextensions/v1/custom-resource-definition.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'

/** Converts one object. */
export type ConvertObject = (object: KubeObject & Record<string, unknown>, apiVersion: string) => unknown

/** A conversion webhook over HTTPS. */
export interface TestConversionWebhook extends AsyncDisposable {
  /** `spec.conversion` of a definition that uses it. */
  readonly conversion: CustomResourceConversion
  readonly port: number
  /** Objects of each call. */
  readonly questions: (readonly KubeObject[])[]
  /** Replaceable conversion. */
  convert: ConvertObject
  /** Replaceable answer. */
  answer: (response: ConversionResponse) => unknown
  /** Delays answers until it resolves. */
  hold: Promise<void>
}

/** Starts a webhook on a free port. */
export async function startConversionWebhook(convert: ConvertObject): Promise<TestConversionWebhook> {
  const authority = await createTestAuthority('conversion-ca')
  const server = createServer(await authority.issue('conversion', [], true), (incoming, outgoing) => {
    void (async () => {
      const { request, apiVersion, kind } = (await json(incoming)) as Required<ConversionReview>
      webhook.questions.push(request.objects)
      await webhook.hold
      const convertedObjects = request.objects.map((object) =>
        webhook.convert(object as KubeObject & Record<string, unknown>, request.desiredAPIVersion),
      )
      const response = { uid: request.uid, convertedObjects, result: { status: 'Success' } } as ConversionResponse
      outgoing.end(JSON.stringify({ apiVersion, kind, response: webhook.answer(response) }))
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const clientConfig = { url: `https://127.0.0.1:${port}/convert`, caBundle: Buffer.from(authority.cert).toString('base64') }
  const webhook: TestConversionWebhook = {
    port,
    conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    questions: [],
    convert,
    answer: (response) => response,
    hold: Promise.resolve(),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return webhook
}
