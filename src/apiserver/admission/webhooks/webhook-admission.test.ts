import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { json } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import type { AdmissionRequest, AdmissionResponse, AdmissionReview } from '#api/admission/v1/admission-review.ts'
import { StatusError } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { startTestServer, type TestServer } from '#apiserver/api-server.fixture.ts'
import type { RequestContext } from '#apiserver/request/api-request.ts'
import { createTestAuthority, type TestAuthority } from '#apiserver/http/tls.fixture.ts'
import { createWebhookAdmission, type WebhookAdmission } from './webhook-admission.ts'
import { withTraceContext } from '#apiserver/request/trace-context.ts'

type Answer = Partial<AdmissionResponse> | 'break' | 'hang'

suite('createWebhookAdmission()', () => {
  let hooks: Server
  let authority: TestAuthority
  let api: TestServer
  let plugin: WebhookAdmission
  const calls: { path: string; request: AdmissionRequest; traceparent: unknown }[] = []
  const answers = new Map<string, (request: AdmissionRequest) => Answer>()
  const warnings: string[] = []
  const ignored: string[] = []

  before(async () => {
    authority = await createTestAuthority('hooks-ca')
    hooks = createServer(await authority.issue('hooks', [], true), (incoming, outgoing) => void answer(incoming, outgoing))
    await new Promise<void>((resolve) => hooks.listen(0, '127.0.0.1', resolve))
    api = await startTestServer({
      admission: (store, registry) => {
        plugin = createWebhookAdmission({
          authorize: () => ({ allowed: true, reason: '' }),
          store,
          registry,
          randomUuid: randomUUID,
          resolveService: () => endpoint(),
          onIgnored: (name) => ignored.push(name),
        })
        return [plugin]
      },
    })
    await create('', 'namespaces', '', { metadata: { name: 'dev', labels: { team: 'a' } } })
  })
  after(async () => {
    plugin[Symbol.dispose]()
    hooks.closeAllConnections()
    hooks.close()
    await api[Symbol.asyncDispose]()
  })

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { request } = (await json(incoming)) as Required<AdmissionReview>
    const path = incoming.url ?? ''
    calls.push({ path, request, traceparent: incoming.headers['traceparent'] })
    const said = answers.get(path.split('?')[0] ?? '')?.(request) ?? {}
    if (said === 'hang') return
    if (said === 'break') return void outgoing.destroy()
    const response = { uid: request.uid, allowed: true, ...said }
    outgoing.end(JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response }))
  }

  const endpoint = (): { host: string; port: number } => ({ host: '127.0.0.1', port: (hooks.address() as { port: number }).port })
  const context: RequestContext = {
    user: { username: 'alice', groups: ['dev'], extra: { scope: ['x'] } },
    warn: (text) => warnings.push(text),
    signal: new AbortController().signal,
    fieldManager: 'test',
  }

  const create = async (group: string, plural: string, namespace: string, object: KubeObject, dryRun = false): Promise<KubeObject> => {
    const definition = api.registry.find(group, 'v1', plural)
    assert.ok(definition !== undefined)
    const body = { apiVersion: group === '' ? 'v1' : `${group}/v1`, kind: definition.kind, ...object }
    const target = { definition, namespace, name: '', subresource: '' }
    const entry = await api.verbs.create(target, { object: body, duplicates: [] }, { dryRun, fieldValidation: 'Ignore' }, context)
    return entry.object
  }
  const remove = async (plural: string, name: string): Promise<void> => {
    const definition = api.registry.find('admissionregistration.k8s.io', 'v1', plural)
    assert.ok(definition !== undefined)
    await api.verbs.delete({ definition, namespace: '', name, subresource: '' }, { dryRun: false }, context)
  }

  /** Registers webhooks for widgets during `run`. */
  const withWebhooks = async (side: 'mutating' | 'validating', list: readonly object[], run: () => Promise<void>): Promise<void> => {
    const rules = [{ operations: ['*'], apiGroups: ['example.io'], apiVersions: ['v1'], resources: ['widgets'] }]
    const { port } = endpoint()
    const webhooks = list.map((changes) => {
      const name = (changes as { name: string }).name
      const clientConfig = { url: `https://127.0.0.1:${port}/${name}`, caBundle: Buffer.from(authority.cert).toString('base64') }
      return { clientConfig, rules, sideEffects: 'None', admissionReviewVersions: ['v1'], ...changes }
    })
    const configuration: KubeObject = { metadata: { name: 'under-test' }, webhooks } as KubeObject
    calls.length = 0
    warnings.length = 0
    ignored.length = 0
    await create('admissionregistration.k8s.io', `${side}webhookconfigurations`, '', configuration)
    try {
      await run()
    } finally {
      await remove(`${side}webhookconfigurations`, 'under-test')
    }
  }
  const widget = (dryRun = false): Promise<KubeObject> =>
    create('example.io', 'widgets', 'dev', { metadata: { generateName: 'w-' }, spec: { size: 1 } } as KubeObject, dryRun)
  const patch = (operations: readonly object[]): Partial<AdmissionResponse> => ({
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
  })
  const failsWith = async (check: (error: StatusError) => void): Promise<void> => {
    await assert.rejects(widget(), (error: unknown) => {
      assert.ok(error instanceof StatusError)
      check(error)
      return true
    })
  }

  test('lets a webhook change the object, and sends it the whole request', async () => {
    answers.set('/size', () => ({ ...patch([{ op: 'replace', path: '/spec/size', value: 7 }]), warnings: ['too small'] }))
    await withWebhooks('mutating', [{ name: 'size' }], async () => {
      const object = await widget()
      assert.deepEqual((object as { spec?: unknown }).spec, { size: 7 })
      assert.deepEqual(warnings, ['too small'])
      const [call] = calls
      assert.equal(call?.path, '/size?timeout=10s')
      assert.deepEqual(call.request.userInfo, { username: 'alice', groups: ['dev'], extra: { scope: ['x'] } })
      assert.deepEqual(call.request.kind, { group: 'example.io', version: 'v1', kind: 'Widget' })
      assert.equal(call.request.name, object.metadata?.name)
      assert.equal(call.request.oldObject, null)
    })
  })

  test('passes the trace of the request on to webhooks, and nothing that is no trace', async () => {
    const trace = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`
    await withWebhooks('validating', [{ name: 'traced' }], async () => {
      await withTraceContext(trace, () => widget())
      await withTraceContext('anything\r\nelse: 1', () => widget())
      await withTraceContext(undefined, () => widget())
    })
    assert.deepEqual(
      calls.map(({ traceparent }) => traceparent),
      [trace, undefined, undefined],
    )
  })

  test('reinvokes a webhook once after later changes', async () => {
    answers.set('/first', () => ({}))
    answers.set('/second', () => patch([{ op: 'add', path: '/metadata/labels', value: { second: 'yes' } }]))
    await withWebhooks(
      'mutating',
      [
        { name: 'first', reinvocationPolicy: 'IfNeeded' },
        { name: 'second', reinvocationPolicy: 'IfNeeded' },
      ],
      async () => {
        await widget()
        assert.deepEqual(
          calls.map(({ path }) => path.split('?')[0]),
          ['/first', '/second', '/first'],
        )
        assert.deepEqual(calls.at(-1)?.request.object?.metadata?.labels, { second: 'yes' })
      },
    )
  })

  test("refuses with the webhook's message", async () => {
    answers.set('/no', () => ({
      allowed: false,
      status: { code: 422, reason: 'Invalid', message: 'too large', details: { causes: [{ field: 'spec.size' }] } },
    }))
    await withWebhooks('validating', [{ name: 'no' }], () =>
      failsWith((error) => {
        assert.equal(error.code, 422)
        assert.equal(error.reason, 'Invalid')
        assert.equal(error.message, 'admission webhook "no" denied the request: too large')
        assert.equal(error.status.details?.causes?.[0]?.field, 'spec.size')
      }),
    )
  })

  test('refuses with 400 when the webhook gives no reason', async () => {
    answers.set('/no', () => ({ allowed: false }))
    await withWebhooks('validating', [{ name: 'no' }], () =>
      failsWith((error) => {
        assert.equal(error.code, 400)
        assert.equal(error.message, 'admission webhook "no" denied the request without explanation')
      }),
    )
  })

  const malformed: readonly (readonly [string, object])[] = [
    ['a text for a decision', { allowed: 'false' }],
    ['a number among the warnings', { allowed: true, warnings: [5] }],
    ['a text for the code', { allowed: false, status: { code: '403\r\n' } }],
    ['a text for the seconds to wait', { allowed: false, status: { code: 429, details: { retryAfterSeconds: 'x\r\n' } } }],
    ['a number for the causes', { allowed: false, status: { code: 422, details: { causes: 5 } } }],
  ]
  for (const [what, answer] of malformed) {
    test(`rejects ${what} as an answer`, async () => {
      answers.set('/odd', () => answer)
      await withWebhooks('validating', [{ name: 'odd' }], () =>
        failsWith((error) => {
          assert.equal(error.code, 500)
          assert.match(error.message, /Answer is malformed: response\./)
        }),
      )
    })
  }
  for (const code of [99_999, 302, -1]) {
    test(`refuses with 400 when the webhook returns ${code}`, async () => {
      answers.set('/odd', () => ({ allowed: false, status: { code } }))
      await withWebhooks('validating', [{ name: 'odd' }], () => failsWith((error) => assert.equal(error.code, 400)))
    })
  }

  test('fails when the webhook is unreachable and failurePolicy is Fail', async () => {
    answers.set('/broken', () => 'break')
    await withWebhooks('validating', [{ name: 'broken' }], () => failsWith((error) => assert.equal(error.reason, 'InternalError')))
  })

  test('proceeds when the webhook is unreachable and failurePolicy is Ignore', async () => {
    answers.set('/broken', () => 'break')
    await withWebhooks('mutating', [{ name: 'broken', failurePolicy: 'Ignore' }], async () => {
      await widget()
      assert.deepEqual(ignored, ['broken'])
    })
  })

  test('gives up after timeoutSeconds', async () => {
    answers.set('/slow', () => 'hang')
    await withWebhooks('validating', [{ name: 'slow', timeoutSeconds: 1 }], () => failsWith((error) => assert.equal(error.code, 500)))
  })

  test('refuses a patch from a validating webhook', async () => {
    answers.set('/sly', () => patch([{ op: 'remove', path: '/spec' }]))
    await withWebhooks('validating', [{ name: 'sly' }], () => failsWith((error) => assert.equal(error.code, 500)))
  })

  test('refuses an answer with another uid', async () => {
    answers.set('/other', () => ({ uid: 'other' }))
    await withWebhooks('mutating', [{ name: 'other' }], () => failsWith((error) => assert.equal(error.code, 500)))
  })

  test('does not call webhooks with side effects in dry runs', async () => {
    await withWebhooks('mutating', [{ name: 'effects', sideEffects: 'Some' }], async () => {
      await assert.rejects(widget(true), (error: unknown) => error instanceof StatusError && error.code === 400)
      assert.equal(calls.length, 0)
    })
  })

  test('calls webhooks for connections, with the options', async () => {
    answers.set('/attach', () => ({ allowed: false, status: { message: 'attaching is not allowed' } }))
    const rules = [{ operations: ['CONNECT'], apiGroups: ['example.io'], apiVersions: ['v1'], resources: ['widgets/attach'] }]
    await withWebhooks('validating', [{ name: 'attach', rules }], async () => {
      const definition = api.registry.find('example.io', 'v1', 'widgets')
      assert.ok(definition !== undefined)
      const target = { definition, namespace: 'dev', name: 'a', subresource: 'attach' }
      const options: KubeObject = { apiVersion: 'v1', kind: 'PodAttachOptions', stdin: true } as KubeObject
      await assert.rejects(plugin.connect({ target, options, context }) ?? Promise.resolve(), {
        message: /attaching is not allowed/,
        code: 400,
      })
      const [call] = calls
      assert.deepEqual(
        [call?.request.operation, call?.request.kind, call?.request.subResource, call?.request.object, call?.request.options],
        ['CONNECT', { group: '', version: 'v1', kind: 'PodAttachOptions' }, 'attach', options, null],
      )
    })
  })

  test('rejects a certificate of another authority', async () => {
    const stranger = await createTestAuthority('stranger')
    const { port } = endpoint()
    const clientConfig = { url: `https://127.0.0.1:${port}/x`, caBundle: Buffer.from(stranger.cert).toString('base64') }
    await withWebhooks('validating', [{ name: 'x', clientConfig }], async () => {
      await failsWith((error) => assert.equal(error.code, 500))
      assert.equal(calls.length, 0)
    })
  })
})
