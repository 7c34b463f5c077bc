import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Pod } from '#api/core/v1/pod.ts'
import { createTestAuthority } from '#apiserver/http/tls.fixture.ts'
import type { TestMachine } from '../../support/machine.ts'

/** Images of servers that listen on the address of their pod only. */
const servers = /\/(?:httpd|nautilus|nginx):/

interface AdmissionReview {
  readonly request: { readonly uid: string; readonly object: Pod }
}

/**
 * Requests addresses of their own for the pods of web servers, by a webhook: several of them have
 * the same port. Disposal ends the webhook's server.
 */
export async function giveOwnAddresses(machine: TestMachine): Promise<Disposable> {
  const authority = await createTestAuthority()
  const server = createServer(await authority.issue('own-addresses', [], true), (request, response) => {
    void json(request).then((body) => {
      const { uid, object } = (body as AdmissionReview).request
      const answer = { uid, allowed: true, ...patchOf(object) }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const webhook = {
    name: 'own-addresses.steadyvm.io',
    clientConfig: {
      url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      caBundle: Buffer.from(authority.cert).toString('base64'),
    },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  }
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'own-addresses' },
    webhooks: [webhook],
  }
  await machine.kubectl(['create', '-f', '-'], JSON.stringify(configuration))
  return { [Symbol.dispose]: () => void server.close() }
}

function patchOf({ metadata, spec }: Pod): object {
  if (!spec.containers.some(({ image = '' }) => servers.test(image))) return {}
  const annotations = { ...metadata.annotations, 'steadyvm.io/own-address': 'true' }
  const patch = [{ op: 'add', path: '/metadata/annotations', value: annotations }]
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
}
