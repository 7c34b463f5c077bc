import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { connect } from 'node:tls'
import type { EndpointSlice } from '#api/discovery/v1/endpoint-slice.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { StatusError } from '#apimachinery/errors.ts'
import { longTest } from '../support/effort.ts'
import { noKubectl } from '../support/kubectl.ts'
import { eventually, startMachine, textAt, type TestMachine } from '../support/machine.ts'
import { refusedByKubeVirt } from '../support/refused-by-kubevirt.ts'
import { machineModeOnly, testClusterHome } from '../support/place.ts'

const system = ['-n', 'kubevirt']
const name = 'kubevirt-hyperconverged'
const oldKind = 'hyperconvergeds.v1beta1.hco.kubevirt.io'

suite('one HyperConverged object configures the components', { skip: noKubectl }, () => {
  let machine: TestMachine
  before(async () => {
    machine = await startMachine()
    await apply('hyperconverged-operator')
    await machine.kubectl(['wait', 'crd/hyperconvergeds.hco.kubevirt.io', '--for=condition=Established', '--timeout=30s'])
    await apply('hyperconverged-object')
  })
  after(() => machine[Symbol.asyncDispose]())

  const manifests = async (part: string, ...more: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await machine.steadyvm('install', '--part', part, ...more)
    assert.equal(code, 0, stderr)
    return stdout
  }
  const apply = async (part: string, ...more: readonly string[]): Promise<void> => {
    await machine.kubectl(['apply', '--server-side', '-f', '-'], await manifests(part, ...more))
  }
  const read = (...args: string[]): Promise<string> => machine.kubectl(['get', ...system, ...args])
  const patch = (kind: string, object: string, spec: object): string[] => [
    'patch',
    kind,
    object,
    ...system,
    '--type=merge',
    '-p',
    JSON.stringify({ spec }),
  ]
  const condition = (type: string): Promise<string> => read('hco', name, '-o', `jsonpath={.status.conditions[?(@.type=="${type}")].status}`)
  const isBecoming = (jsonpath: string, wanted: RegExp): Promise<void> =>
    eventually(
      async () => wanted.test(await read('kubevirt', '-o', `jsonpath=${jsonpath}`)),
      () => read('kubevirt,hco', '-o', 'yaml'),
    )
  /** Waits for the webhooks, which the operator registers once it serves them. */
  const webhooksAnswer = (): Promise<void> =>
    eventually(
      async () => (await machine.tryKubectl(['get', 'validatingwebhookconfiguration', 'hyperconverged-operator-validator'])).code === 0,
      () => machine.kubectl(['logs', ...system, 'deployment/hyperconverged-operator']),
    )

  test('it takes over the KubeVirt object, and becomes available', async () => {
    for (const type of ['ReconcileComplete', 'Available', 'Upgradeable'])
      await eventually(
        async () => (await condition(type)) === 'True',
        () => read('hco,kubevirt,pods', '-o', 'yaml'),
      )
    assert.match(await read('kubevirt', '-o', 'name'), /^kubevirt\.kubevirt\.io\/kubevirt\s*$/)
    const states = await read('hco', '-o', 'jsonpath={range .items[0].status.steadyvm.components[*]}{.name}={.state} {end}')
    assert.match(states, /kubevirt=Ready .*cdi=Ready .*aaq=NotWanted/)
    assert.match(await machine.kubectl(['get', ...system, 'all']), /hyperconverged\.hco\.kubevirt\.io\/kubevirt-hyperconverged/)
  })

  test('migration limits, a gate and log verbosity reach the KubeVirt object', async () => {
    await webhooksAnswer()
    const { code, stderr } = await machine.tryKubectl(
      patch('hco', name, {
        virtualization: { liveMigrationConfig: { parallelMigrationsPerCluster: 9, bandwidthPerMigration: '64Mi' } },
        featureGates: [{ name: 'objectGraph', state: 'Enabled' }, { name: 'flying' }],
        deployment: { logVerbosityConfig: { kubevirt: { virtHandler: 5, virtController: 3 } } },
      }),
    )
    assert.equal(code, 0, stderr)
    assert.match(stderr, /spec\.featureGates\[flying\] is no feature gate/)
    assert.doesNotMatch(stderr, /logVerbosityConfig/)
    const config = '{.items[0].spec.configuration'
    const wanted = `${config}.migrations.parallelMigrationsPerCluster} ${config}.migrations.bandwidthPerMigration} ${config}.developerConfiguration.logVerbosity.virtHandler} ${config}.developerConfiguration.featureGates}`
    await isBecoming(wanted, /^9 64Mi 5 .*"ObjectGraph"/)
    // KubeVirt has acted on the change, and HyperConverged reports it.
    await eventually(
      async () =>
        (await read('hco', name, '-o', 'jsonpath={.metadata.generation} {.status.observedGeneration}'))
          .split(' ')
          .every((each, _, all) => each === all[0]),
      () => read('hco', name, '-o', 'yaml'),
    )
    await eventually(
      async () => (await condition('Progressing')) === 'False',
      () => read('hco', name, '-o', 'yaml'),
    )
  })

  test('log verbosity reaches processes that run', async () => {
    // Pods may still be replaced since HyperConverged took over, and have no log before they start.
    const logs = async (): Promise<string> =>
      (await machine.tryKubectl(['logs', ...system, '-l', 'kubevirt.io=virt-controller', '--tail=-1'])).stdout
    await eventually(async () => /"level":"debug".*"Reconciled"/.test(await logs()), logs)
  })

  test('a TLS profile reaches listeners that run', async () => {
    // Read each time: the pods of virt-api may still be replaced since HyperConverged took over.
    const endpoint = async (): Promise<{ host: string; port: number }> => {
      const list: unknown = await machine.getJson('endpointslices', ...system, '-l', 'kubernetes.io/service-name=virt-api')
      const [slice] = (list as { items: EndpointSlice[] }).items
      const ready = slice?.endpoints?.find(({ conditions }) => conditions?.ready === true)
      return { host: ready?.addresses[0] ?? '', port: slice?.ports?.[0]?.port ?? 0 }
    }
    const handshake = async (maxVersion: 'TLSv1.2' | 'TLSv1.3'): Promise<string> => {
      const { promise, resolve } = Promise.withResolvers<string>()
      const socket = connect({ ...(await endpoint()), maxVersion, rejectUnauthorized: false }, () => {
        resolve('accepted')
        socket.destroy()
      })
      socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code))
      return promise
    }
    const answers = (older: string): Promise<void> =>
      eventually(
        async () => (await handshake('TLSv1.2')) === older && (await handshake('TLSv1.3')) === 'accepted',
        async () =>
          `TLS 1.2: ${await handshake('TLSv1.2')}, 1.3: ${await handshake('TLSv1.3')}\n${await read('kubevirt,hco', '-o', 'yaml')}`,
      )
    await answers('accepted')
    await machine.kubectl(patch('hco', name, { security: { tlsSecurityProfile: { type: 'Modern', modern: {} } } }))
    await answers('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
    await machine.kubectl(patch('hco', name, { security: { tlsSecurityProfile: null } }))
    await answers('accepted')
  })

  test('changes of others are reverted', async () => {
    const { stderr } = await machine.tryKubectl(patch('kubevirt', 'kubevirt', { configuration: { migrations: { progressTimeout: 7 } } }))
    assert.match(stderr, /progressTimeout: HyperConverged configures this object and reverts the change\. Edit "kubectl edit hco/)
    await isBecoming('{.items[0].spec.configuration.migrations.progressTimeout}', /^150$/)
    await eventually(
      async () => /kubectl-patch.*progressTimeout/.test(await read('events', '--field-selector=reason=Overwritten')),
      () => read('events'),
    )
  })

  test('the object can be read and written in v1beta1', async () => {
    await eventually(
      async () => (await machine.tryKubectl(['get', oldKind, ...system])).code === 0,
      () => machine.kubectl(['get', 'crd', 'hyperconvergeds.hco.kubevirt.io', '-o', 'jsonpath={.spec.conversion}']),
    )
    const { spec } = await machine.getJson(oldKind, name, ...system)
    assert.equal(textAt({ spec } as never, 'spec.liveMigrationConfig.parallelMigrationsPerCluster'), '9')
    assert.deepEqual(spec?.['featureGates'], { objectGraph: true })
    await machine.kubectl(patch(oldKind, name, { featureGates: { alignCPUs: true }, defaultCPUModel: 'Haswell' }))
    const { spec: now } = await machine.getJson('hco', name, ...system)
    assert.deepEqual(now?.['featureGates'], [
      { name: 'objectGraph', state: 'Enabled' },
      { name: 'flying', state: 'Enabled' },
      { name: 'alignCPUs', state: 'Enabled' },
    ])
    assert.equal(textAt({ spec: now } as never, 'spec.virtualization.virtualMachineOptions.defaultCPUModel'), 'Haswell')
    // v1beta1 lacks this field, and an old client may not send the annotation that keeps it.
    const injector = async (): Promise<unknown> =>
      (await machine.getJson('hco', name, ...system))['spec']?.['deployment']?.['deployNetworkResourcesInjector']
    assert.deepEqual(await injector(), true)
    await machine.kubectl(patch('hco', name, { deployment: { deployNetworkResourcesInjector: false } }))
    const { metadata, ...old } = await machine.getJson(oldKind, name, ...system)
    const { annotations: _kept, resourceVersion: _version, ...rest } = metadata as unknown as Record<string, unknown>
    await machine.kubectl(['replace', '-f', '-'], JSON.stringify({ ...old, metadata: rest }))
    assert.deepEqual(await injector(), false)
    await machine.kubectl(patch('hco', name, { deployment: { deployNetworkResourcesInjector: null } }))
  })

  test('its manifests can be applied again, with images of workloads, which it deploys and removes', async () => {
    const applied = async (...images: readonly string[]): Promise<void> => {
      // Without --force-conflicts: the operator must own nothing that the manifests contain.
      await apply('hyperconverged-operator', ...images.flatMap((image) => ['--workload-image', `${image}=images.test/none:v1`]))
      await machine.kubectl(['rollout', 'status', ...system, 'deployment/hyperconverged-operator', '--timeout=120s'])
    }
    const gates = (await machine.getJson('hco', name, ...system))['spec']?.['featureGates'] as unknown as object[]
    const edit = (isAsked: boolean): Promise<void> => {
      const body = {
        metadata: { annotations: { 'hco.kubevirt.io/deployAIE': isAsked ? 'true' : null } },
        spec: { featureGates: isAsked ? [...gates, { name: 'deployObservabilityController' }] : gates },
      }
      const args = ['patch', 'hco', name, ...system, '--type=merge', '-p', JSON.stringify(body)]
      return eventually(
        async () => (await machine.tryKubectl(args)).code === 0,
        () => read('pods,endpointslices', '-o', 'yaml'),
      )
    }
    const kinds = 'serviceaccounts,clusterroles,clusterrolebindings,configmaps,services,deployments,priorityclasses'
    const own = ['get', kinds, ...system, '-l', 'app.kubernetes.io/managed-by=hco-operator', '-o', 'name']
    const secretRights = ['auth', 'can-i', 'get', 'secrets', '--as=system:serviceaccount:kubevirt:hyperconverged-operator']
    await applied('aie-webhook', 'observability-controller')
    assert.equal((await machine.tryKubectl(secretRights)).stdout.trim(), 'yes')
    await edit(true)
    // The images do not exist: what has no pods is there, and the rest says that it waits.
    const states = '{range .status.steadyvm.components[*]}{.name}={.state} {end}'
    const pods = ['aie-webhook=Progressing', 'observability-controller=Progressing']
    await eventually(
      async () => {
        const told = (await read('hco', name, '-o', `jsonpath=${states}`)).split(' ')
        const parts = told.filter((each) => /^(aie-webhook|observability-controller)/.test(each) && !each.endsWith('=Ready'))
        return parts.length === pods.length && pods.every((each) => parts.includes(each))
      },
      () => read('hco', name, '-o', 'yaml'),
    )
    const present = await machine.kubectl(own)
    assert.match(present, /configmap\/kubevirt-aie-launcher-config/)
    assert.match(present, /priorityclass\.scheduling\.k8s\.io\/kubevirt-cluster-critical/)
    await edit(false)
    const onlyTheClass = /^priorityclass\.scheduling\.k8s\.io\/kubevirt-cluster-critical\s*$/
    await eventually(
      async () => onlyTheClass.test(await machine.kubectl(own)),
      () => machine.kubectl(own),
    )
    await applied()
    assert.equal((await machine.tryKubectl(secretRights)).stdout.trim(), 'no')
    await eventually(
      async () => (await condition('Available')) === 'True',
      () => read('hco', name, '-o', 'yaml'),
    )
  })

  test('why names the source of a value', async () => {
    const lines = async (path: string): Promise<string> => {
      const { code, stdout, stderr } = await machine.steadyvm('why', 'hco', path)
      assert.equal(code, 0, stderr)
      return stdout
    }
    const limits = await lines('virtualization.liveMigrationConfig')
    assert.match(limits, /migrations\.parallelMigrationsPerCluster +9 +spec\.virtualization/)
    assert.match(limits, /migrations\.progressTimeout +150 +default in the schema/)
    assert.match(await lines('objectGraph'), /featureGates\[ObjectGraph\] +true +feature gate objectGraph/)
    assert.match(await lines('configuration.vmRolloutStrategy'), /LiveUpdate +fixed: /)
    assert.match(await lines('virtualization.evictionStrategy'), /evictionStrategy +(None|LiveMigrate) +default that the nodes decide/)
  })

  test('a plan shows what an edit changes of the components, and writes nothing', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'steadyvm-hco-'))
    const plan = async (spec: object): ReturnType<TestMachine['steadyvm']> => {
      const file = join(folder, 'hco.json')
      const metadata = { name, namespace: 'kubevirt' }
      await writeFile(file, JSON.stringify({ apiVersion: 'hco.kubevirt.io/v1', kind: 'HyperConverged', metadata, spec }))
      return machine.steadyvm('plan', '-f', file)
    }
    const before = await read('hco,kubevirt', '-o', 'jsonpath={.items[*].metadata.generation}')
    const edit = await plan({
      virtualization: { liveMigrationConfig: { progressTimeout: 200 } },
      deployment: { applicationAwareConfig: { enable: true } },
    })
    assert.equal(edit.code, 2, edit.stdout)
    assert.match(edit.stdout, /edit +HyperConverged kubevirt-hyperconverged/)
    assert.match(edit.stdout, /kubevirt {2}KubeVirt is changed\n.*migrations\.progressTimeout +150 → 200 +spec\.virtualization/)
    assert.match(edit.stdout, /aaq {2}AAQ is created, once its kind is installed/)
    const refused = await plan({ security: { certConfig: { ca: { duration: '1m' } } } })
    assert.equal(refused.code, 1)
    assert.match(refused.stdout, /would be refused: .*spec\.security\.certConfig\.ca\.duration/)
    const same = await plan({})
    assert.equal(same.code, 0, same.stdout + same.stderr)
    assert.equal(await read('hco,kubevirt', '-o', 'jsonpath={.items[*].metadata.generation}'), before)
    await rm(folder, { recursive: true })
  })

  test('an override changes what is rendered, as long as it is there', async () => {
    const override = (patch: readonly object[]): string =>
      JSON.stringify({
        apiVersion: 'steadyvm.io/v1alpha1',
        kind: 'ComponentOverride',
        metadata: { name: 'slow-storage' },
        spec: { component: 'kubevirt', patch, owner: 'storage team', reason: 'the old array', expiresAt: '2099-01-01T00:00:00Z' },
      })
    const path = '/spec/configuration/migrations/progressTimeout'
    await webhooksAnswer()
    for (const wrong of [
      [{ op: 'test', path, value: 1 }],
      [{ op: 'move', path }],
      [{ op: 'remove', path: '/status/phase' }],
      [{ op: 'replace', path, value: 'soon' }],
    ]) {
      const { code, stderr } = await machine.tryKubectl(['apply', '-f', '-'], override(wrong))
      assert.equal(code, 1, JSON.stringify(wrong))
      assert.match(stderr, /spec\.patch/, JSON.stringify(wrong))
    }
    await machine.kubectl(['apply', '-f', '-'], override([{ op: 'replace', path, value: 600 }]))
    await isBecoming('{.items[0].spec.configuration.migrations.progressTimeout}', /^600$/)
    await machine.kubectl(['wait', 'componentoverride/slow-storage', '--for=condition=Applied', '--timeout=30s'])
    const { stdout } = await machine.steadyvm('why', 'hco', 'virtualization.liveMigrationConfig.progressTimeout')
    assert.match(stdout, /600 +ComponentOverride slow-storage of storage team: the old array/)
    assert.equal(await condition('TaintedConfiguration'), 'True')
    await machine.kubectl(['delete', 'componentoverride', 'slow-storage'])
    await isBecoming('{.items[0].spec.configuration.migrations.progressTimeout}', /^150$/)
    const annotation = 'kubevirt.kubevirt.io/jsonpatch=[{"op":"remove","path":"/metadata/name"}]'
    const { code, stderr } = await machine.tryKubectl(['annotate', ...system, 'hco', name, annotation])
    assert.equal(code, 1)
    assert.match(stderr, /metadata\.annotations\[kubevirt\.kubevirt\.io\/jsonpatch\].*must begin with \/spec\//)
  })

  test('a wrong value and a second object are refused', async () => {
    const rows: readonly (readonly [string[], string | undefined, RegExp])[] = [
      [patch('hco', name, { security: { certConfig: { ca: { duration: '1m' } } } }), undefined, /spec\.security\.certConfig\.ca\.duration/],
      [patch('hco', name, { featureGates: [{ name: 'A' }, { name: 'a' }] }), undefined, /listed once/],
      [patch('hco', name, { networking: { kubeMacPoolConfiguration: { rangeStart: '02:00:00:00:00:00' } } }), undefined, /rangeEnd/],
      [
        ['create', ...system, '-f', '-'],
        JSON.stringify({ apiVersion: 'hco.kubevirt.io/v1', kind: 'HyperConverged', metadata: { name: 'other' } }),
        /create it as "kubevirt-hyperconverged"/,
      ],
      [
        ['create', '-n', 'default', '-f', '-'],
        JSON.stringify({ apiVersion: 'hco.kubevirt.io/v1', kind: 'HyperConverged', metadata: { name } }),
        /in the namespace "kubevirt"/,
      ],
    ]
    for (const [args, input, wanted] of rows) {
      const { code, stderr } = await machine.tryKubectl(args, input)
      assert.equal(code, 1, args.join(' '))
      assert.match(stderr, wanted)
    }
  })

  test('each edit that a rule of KubeVirt forbids is refused with its message and the field here', async () => {
    await webhooksAnswer()
    using cluster = await machine.connect()
    const key = { namespace: 'kubevirt', name }
    const write = (body: object): Promise<unknown> => cluster.client.patch(hyperConvergeds, key, { type: 'merge', body })
    const { spec } = await cluster.client.get(hyperConvergeds, key)
    for (const { field, body, undo, because } of refusedByKubeVirt) {
      const refusal = async (): Promise<unknown> => {
        for (let attempt = 0; attempt < 5; attempt++) {
          const error = await write(body).then(
            () => undefined,
            (thrown: unknown) => thrown,
          )
          if (error !== undefined) return error
          // A busy machine may not ask in time, and accepts the edit with a warning.
          await write(undo)
        }
        return undefined
      }
      const error = await refusal()
      assert.ok(error instanceof StatusError && error.status.reason === 'Invalid', `${JSON.stringify(body)}: ${String(error)}`)
      const causes = error.status.details?.causes ?? []
      const told = causes.map((cause) => `${cause.field}: ${cause.message}`).join('\n')
      assert.ok(causes.length > 0 && causes.every((cause) => cause.field === field), `${JSON.stringify(body)}: ${told}`)
      assert.match(told, /Invalid value: kubevirt refuses its KubeVirt: /, JSON.stringify(body))
      assert.match(told, because, JSON.stringify(body))
    }
    assert.deepEqual((await cluster.client.get(hyperConvergeds, key)).spec, spec)
  })

  test('a component refuses an edit that its own rules forbid, and one that cannot answer does not block it', async (context) => {
    const group = 'admissionregistration.k8s.io/v1'
    const rule = { apiGroups: ['kubevirt.io'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['kubevirts'] }
    const limit = 'object.spec.configuration.migrations.parallelOutboundMigrationsPerNode'
    const policy = { name: 'few-migrations' }
    const objects = [
      {
        apiVersion: group,
        kind: 'ValidatingAdmissionPolicy',
        metadata: policy,
        spec: {
          matchConstraints: { resourceRules: [rule] },
          validations: [{ expression: `${limit} < 50`, message: 'a node sends at most 49 guests' }],
        },
      },
      {
        apiVersion: group,
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: policy,
        spec: { policyName: policy.name, validationActions: ['Deny'] },
      },
    ]
    const edit = (perNode: number): ReturnType<TestMachine['tryKubectl']> =>
      machine.tryKubectl(patch('hco', name, { virtualization: { liveMigrationConfig: { parallelOutboundMigrationsPerNode: perNode } } }))
    await machine.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
    await eventually(
      async () => {
        const { code, stderr } = await edit(50)
        // Policies take effect a moment after they are created.
        if (code === 0) await edit(7)
        else
          assert.match(
            stderr,
            /spec\.virtualization\.liveMigrationConfig\.parallelOutboundMigrationsPerNode: .*kubevirt refuses its KubeVirt: .*at most 49/,
          )
        return code !== 0
      },
      () => read('hco', name, '-o', 'yaml'),
    )
    await machine.kubectl(['delete', 'validatingadmissionpolicy,validatingadmissionpolicybinding', policy.name])

    const webhook = {
      apiVersion: group,
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'nothing-listens-here' },
      webhooks: [
        {
          name: 'gone.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          clientConfig: { url: 'https://127.0.0.1:1/' },
          rules: [rule],
        },
      ],
    }
    await machine.kubectl(['apply', '-f', '-'], JSON.stringify(webhook))
    // An edit that changes nothing is not tried out.
    let perNode = 8
    await eventually(
      async () => {
        const { code, stderr } = await edit(perNode++)
        assert.equal(code, 0, stderr)
        return /Warning: kubevirt could not be asked whether its KubeVirt may change/.test(stderr)
      },
      () => read('hco', name, '-o', 'yaml'),
    )
    await machine.kubectl(['delete', 'validatingwebhookconfiguration', 'nothing-listens-here'])
    // Worse than a refused connection: one that is accepted, and never answered.
    if (machineModeOnly('a webhook of the test') === false) {
      const silent = createServer(() => undefined)
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
      const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`
      const webhooks = webhook.webhooks.map((one) => ({ ...one, timeoutSeconds: 4, clientConfig: { url } }))
      const metadata = { name: 'nobody-answers-here' }
      await machine.kubectl(['apply', '-f', '-'], JSON.stringify({ ...webhook, metadata, webhooks }))
      await eventually(
        async () => {
          const started = performance.now()
          const { code, stderr } = await edit(perNode++)
          assert.equal(code, 0, stderr)
          const isWarned = stderr.includes('it did not answer within 2.5 s')
          if (isWarned)
            context.diagnostic(`an edit takes ${((performance.now() - started) / 1000).toFixed(2)} s, with the start of kubectl`)
          return isWarned
        },
        () => read('hco', name, '-o', 'yaml'),
      )
      await machine.kubectl(['delete', 'validatingwebhookconfiguration', metadata.name])
      silent.close()
    }
    // The edit reaches the component as soon as it answers again.
    assert.equal((await edit(6)).code, 0)
    await isBecoming('{.items[0].spec.configuration.migrations.parallelOutboundMigrationsPerNode}', /^6$/)
  })

  test('an installation of an older version is upgraded: its patches pass admission, once', async () => {
    const timeout = 'virtualization.liveMigrationConfig.completionTimeoutPerGiB'
    await machine.kubectl(patch('hco', name, { virtualization: { liveMigrationConfig: { completionTimeoutPerGiB: 150 } } }))
    await isBecoming('{.items[0].spec.configuration.migrations.completionTimeoutPerGiB}', /^150$/)
    const versions = JSON.stringify({ status: { versions: [{ name: 'operator', version: '1.18.0' }] } })
    await machine.kubectl(['patch', 'hco', name, ...system, '--subresource=status', '--type=merge', '-p', versions])
    const upgrade = '{.status.steadyvm.upgrade'
    await eventually(
      async () =>
        (await read('hco', name, '-o', `jsonpath=${upgrade}.from} ${upgrade}.stage} ${upgrade}.message}`)).startsWith('1.18.0 Complete '),
      () => read('hco', name, '-o', 'yaml'),
    )
    await isBecoming('{.items[0].spec.configuration.migrations.completionTimeoutPerGiB}', /^20$/)
    assert.match(
      await read('hco', name, '-o', `jsonpath=${upgrade}.patches[*].id}=${upgrade}.patches[*].result}`),
      /^completion-timeout-20=Applied$/,
    )
    // Kinds of OpenShift and objects that do not exist are nothing to remove.
    assert.match(await read('hco', name, '-o', `jsonpath=${upgrade}.removed[*].result}`), /^NotFound( NotFound){6}$/)
    const { stdout } = await machine.steadyvm('why', 'hco', timeout)
    assert.match(stdout, /completionTimeoutPerGiB +20 +upgrade patch completion-timeout-20 to v/)
    await eventually(
      async () => {
        const told = await read('events', '--field-selector=reason=UpgradeHCO')
        return told.includes('is upgraded from 1.18.0') && told.includes('was upgraded from 1.18.0')
      },
      () => read('events'),
    )
    const left = await read('hco', name, '-o', 'jsonpath={.metadata.annotations}')
    assert.ok(!left.includes('upgrade-patches'), left)
    // What the user writes now is no old default.
    await machine.kubectl(patch('hco', name, { virtualization: { liveMigrationConfig: { completionTimeoutPerGiB: 150 } } }))
    await isBecoming('{.items[0].spec.configuration.migrations.completionTimeoutPerGiB}', /^150$/)
    const { stdout: edited } = await machine.steadyvm('why', 'hco', timeout)
    assert.match(edited, /completionTimeoutPerGiB +150 +spec\.virtualization/)
  })

  const refuses = async (args: readonly string[], reason: RegExp): Promise<void> => {
    const { code, stderr } = await machine.tryKubectl(args)
    assert.equal(code, 1, args.join(' '))
    assert.match(stderr, reason)
  }
  /** Ends the operator without a chance to remove anything. */
  const removeOperator = async (): Promise<void> => {
    await machine.kubectl(['delete', ...system, 'deployment', 'hyperconverged-operator'])
    await machine.kubectl(['wait', ...system, 'pods', '-l', 'kubevirt.io=hyperconverged-operator', '--for=delete', '--timeout=60s'])
  }
  const platformIsAvailable = async (): Promise<void> => {
    // In machine mode, virt-operator belongs to the machine and stays.
    if (testClusterHome !== undefined) await apply('operator')
    await apply('hyperconverged-operator')
    await machine.kubectl(['wait', 'crd/hyperconvergeds.hco.kubevirt.io', '--for=condition=Established', '--timeout=30s'])
    await apply('hyperconverged-object')
    await machine.kubectl(['wait', ...system, `hco/${name}`, '--for=condition=Available', '--timeout=180s'])
    await webhooksAnswer()
  }

  test('with guests, each wrong order is refused, as the explanation says', async () => {
    const template = { spec: { domain: { devices: {}, memory: { guest: '32Mi' } } } }
    const vm = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name: 'stays' },
      spec: { runStrategy: 'Halted', template },
    }
    await machine.kubectl(['create', '-f', '-'], JSON.stringify(vm))
    const explained = await machine.steadyvm('uninstall', '--explain', '-o', 'json')
    assert.equal(explained.code, 2, explained.stderr)
    const { findings } = JSON.parse(explained.stdout) as { findings: { layer: string; effect: string; object: string }[] }
    assert.deepEqual(
      findings.map(({ layer, effect, object }) => `${effect} ${layer} ${object}`),
      ['blocks Workloads KubeVirt/kubevirt', 'note Namespace Namespace/kubevirt'],
    )
    const uninstalled = await machine.steadyvm('uninstall', '--yes')
    assert.equal(uninstalled.code, 3, uninstalled.stderr)
    assert.match(uninstalled.stderr, /1 VirtualMachines .*BlockUninstallIfWorkloadsExist/)
    await refuses(
      ['delete', ...system, 'hco', name],
      /kubevirt refuses the deletion of its KubeVirt "kubevirt": .*there are still Virtual Machines present/,
    )
    await refuses(
      ['delete', 'namespace', 'kubevirt'],
      /HyperConverged object "kubevirt\/kubevirt-hyperconverged" exists|holds the components of this machine/,
    )
    await refuses(
      ['delete', 'crd', 'hyperconvergeds.hco.kubevirt.io'],
      /HyperConverged object "kubevirt\/kubevirt-hyperconverged" exists|holds the components of this machine/,
    )
    await machine.kubectl(['delete', 'vm', 'stays'])
  })

  test('without HyperConverged, the components stay as they are, and can be edited again', async () => {
    const { code, stdout, stderr } = await machine.steadyvm('uninstall', '--keep-components', '--yes')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /HyperConverged is removed/)
    await machine.kubectl(patch('kubevirt', 'kubevirt', { configuration: { migrations: { progressTimeout: 7 } } }))
    const { spec } = await machine.getJson('kubevirt', 'kubevirt', ...system)
    assert.equal(textAt({ spec } as never, 'spec.configuration.migrations.progressTimeout'), '7')
    assert.equal(textAt({ spec } as never, 'spec.configuration.migrations.parallelMigrationsPerCluster'), '9')
  })

  // Also proved by src/cli/uninstall/perform.test.ts.
  longTest('with the operator removed first, uninstall does its work', async () => {
    await platformIsAvailable()
    await removeOperator()
    await refuses(['delete', ...system, 'hco', name], /failed calling webhook "delete-hyperconverged\.hco\.kubevirt\.io"/)
    const explained = await machine.steadyvm('uninstall', '--explain')
    assert.equal(explained.code, 2, explained.stderr)
    assert.match(explained.stdout, /handled +Webhook +validatingwebhookconfiguration\/hyperconverged-operator-validator/)
    assert.match(explained.stdout, /handled +Finalizer +HyperConverged\/kubevirt-hyperconverged/)
    assert.equal((await machine.steadyvm('uninstall')).code, 2)
    const { code, stdout, stderr } = await machine.steadyvm('uninstall', '--yes')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /The platform is removed/)
    await isRemoved()
  })

  test('deleted in order, all components go with the object', async () => {
    await platformIsAvailable()
    const explained = await machine.steadyvm('uninstall', '--explain')
    assert.equal(explained.code, 0, explained.stdout)
    await machine.kubectl(['delete', ...system, 'hco', name, '--timeout=120s'])
    assert.equal((await read('kubevirt', '-o', 'name')).trim(), '')
    const { code, stderr } = await machine.steadyvm('uninstall', '--yes')
    assert.equal(code, 0, stderr)
    await isRemoved()
    assert.match((await machine.steadyvm('uninstall', '--yes')).stdout, /Nothing is installed/)
  })

  /** What machine mode itself runs stays. */
  const isRemoved = async (): Promise<void> => {
    // On a cluster, the kind is gone, too.
    assert.equal((await machine.tryKubectl(['get', ...system, 'kubevirt', '-o', 'name'])).stdout.trim(), '')
    const kinds = 'mutatingwebhookconfigurations,validatingwebhookconfigurations,validatingadmissionpolicies,clusterroles,crd'
    const rest = await machine.kubectl(['get', kinds, '-o', 'name'])
    assert.doesNotMatch(rest, /hyperconverged|virt-api-validator|virtualmachines/)
    assert.doesNotMatch(await read('deployments,secrets,configmaps,serviceaccounts,leases', '-o', 'name'), /hyperconverged/)
  }
})
