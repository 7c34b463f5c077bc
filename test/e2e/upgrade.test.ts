// Takes longer than 45 s: it builds two releases and runs a cluster from one to the other.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadAuthority } from '#runtime/certificates/authority.ts'
import { breakRelease } from '../support/fakes/broken-release.ts'
import { longTest } from '../support/effort.ts'
import { type CommandResult } from '../support/kubectl.ts'
import { demoVirtualMachine, powerButtonVirtualMachine } from '../support/manifests.ts'
import { eventually, startMachine, textAt, type KubeJson, type TestMachine } from '../support/machine.ts'
import { startTraceCollector, type CollectedSpan, type TraceCollector } from '../support/observers/trace-collector.ts'
import { machineModeOnly } from '../support/place.ts'
import type { KubeVirt, UpgradeRecord } from '#api/kubevirt/v1/kubevirt.ts'

const own = 'v0.1.0'

suite(
  'upgrade of the system',
  { skip: machineModeOnly('installs releases of machine mode; test/kubernetes/guests.long.test.ts upgrades a cluster') },
  () => {
    let machine: TestMachine
    let guest = 0

    const guests = (): number[] => machine.processes().flatMap(({ role, pid }) => (role === 'compute' ? [pid] : []))
    const ask = (imageTag: string): Promise<string> => {
      const patch = JSON.stringify({ spec: { imageTag } })
      return machine.kubectl(['patch', 'kubevirt', 'kubevirt', '-n', 'kubevirt', '--type=merge', '-p', patch])
    }
    /** Returns the versions of the components. */
    const running = async (): Promise<string[]> => {
      const path = 'jsonpath={range .items[*]}{.metadata.labels.kubevirt\\.io}={.spec.containers[0].image}{"\\n"}{end}'
      const pods = await machine.kubectl([
        'get',
        'pods',
        '-n',
        'kubevirt',
        '-l',
        'kubevirt.io in (virt-api,virt-controller,virt-handler)',
        '-o',
        path,
      ])
      return [
        ...new Set(
          pods
            .trim()
            .split('\n')
            .map((line) => line.split(':').at(-1) ?? ''),
        ),
      ]
    }
    const arrives = async (version: string): Promise<void> => {
      const { code, stderr } = await machine.steadyvm('upgrade', 'status', '--watch', '--timeout', '120')
      assert.equal(code, 0, stderr)
      await eventually(
        async () => (await running()).join() === version,
        async () => (await running()).join(),
      )
      assert.deepEqual(guests(), [guest], 'the guest is another one')
    }

    const killOperator = (): void => {
      for (const { role, pid } of machine.processes()) if (role === 'virt-operator') process.kill(pid, 'SIGKILL')
    }
    const takeLease = (): Promise<string> => {
      const spec = { holderIdentity: 'nobody', renewTime: new Date().toISOString().replace('Z', '000Z') }
      return machine.kubectl(['patch', 'lease', 'virt-operator', '-n', 'kubevirt', '--type=merge', '-p', JSON.stringify({ spec })])
    }

    let collector: TraceCollector
    before(async () => {
      collector = await startTraceCollector()
      process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = collector.url
      machine = await startMachine({ nodes: 2, soakSeconds: 2 })
      await machine.kubectl(['apply', '-f', '-'], powerButtonVirtualMachine(machine, 'demo'))
      await machine.kubectl(['wait', 'vm/demo', '--for=condition=Ready', '--timeout=90s'])
      ;[guest = 0] = guests()
      for (const version of ['v0.2.0', 'v0.3.0']) {
        const { code, stderr } = await machine.steadyvm('release', 'build', '--version', version)
        assert.equal(code, 0, stderr)
      }
    })
    after(async () => {
      delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT']
      await machine[Symbol.asyncDispose]()
      collector[Symbol.dispose]()
    })

    test('is installed in the version of the checkout', async () => assert.deepEqual(await running(), [own]))

    test('to a newer version: new VMs can be created meanwhile, and the guest keeps running', async () => {
      await ask('v0.2.0')
      let isOver = false
      let kills = 0
      const arriving = arrives('v0.2.0').finally(() => (isOver = true))
      for (let count = 0; !isOver; count++) {
        const name = `during-${count}`
        await machine.kubectl(['apply', '-f', '-'], demoVirtualMachine(name, { runStrategy: 'Halted' }))
        await machine.kubectl(['delete', 'vm', name])
        // What is measured needs the processors, too.
        await sleep(500)
        const stage = await machine.kubectl([
          'get',
          'kubevirt',
          'kubevirt',
          '-n',
          'kubevirt',
          '-o',
          'jsonpath={.status.steadyvm.upgrade.stage}',
        ])
        if (kills === 0 && stage === 'NodeAgents') {
          killOperator()
          kills++
        }
      }
      assert.equal(kills, 1)
      await arriving
    })

    test('was one trace, although the operator was killed meanwhile: with its stages and nodes', async () => {
      const read = async (): Promise<UpgradeRecord | undefined> =>
        ((await machine.getJson('kubevirt', 'kubevirt', '-n', 'kubevirt')) as unknown as KubeVirt).status?.steadyvm?.lastUpgrade
      await eventually(
        async () => (await read())?.completedAt !== undefined,
        async () => JSON.stringify(await read()),
        60_000,
      )
      const record = await read()
      const spans = (): readonly CollectedSpan[] => collector.spans().filter(({ traceId }) => traceId === record?.traceID)
      await eventually(
        () => spans().some(({ name }) => name === 'upgrade') && spans().filter(({ name }) => name === 'replace node agent').length === 2,
        () => JSON.stringify([record, spans()]),
        60_000,
      )
      const root = spans().find(({ name }) => name === 'upgrade')
      const stages = spans().filter(({ name }) => name.startsWith('stage '))
      const over = record?.stages.filter(({ endedAt }) => endedAt !== undefined) ?? []
      assert.deepEqual(new Set(stages.map(({ name }) => name)), new Set(over.map(({ stage }) => `stage ${stage}`)))
      for (const { parentSpanId } of stages) assert.equal(parentSpanId, root?.spanId)
      const nodes = spans().filter(({ name }) => name === 'replace node agent')
      assert.deepEqual(nodes.map(({ attributes }) => String(attributes['k8s.node.name'])).toSorted(), ['node-1', 'node-2'])
    })

    test('can be told by a command without any backend', async () => {
      const { code, stdout, stderr } = await machine.steadyvm('upgrade', 'report')
      assert.equal(code, 0, stderr)
      for (const part of [
        /^upgrade +from v0\.1\.0 to v0\.2\.0$/m,
        /^NodeAgents +\S+ +\d/m,
        /Normal +UpgradeStage +From v0\.1\.0 to v0\.2\.0: API/,
      ])
        assert.match(stdout, part)
    })

    test('reconciles, their requests and the admission of those are one trace across components', () => {
      const byId = new Map(collector.spans().map((span) => [span.spanId, span]))
      const ancestors = (span: CollectedSpan | undefined): CollectedSpan[] => {
        const parent = byId.get(span?.parentSpanId ?? '')
        return parent === undefined ? [] : [parent, ...ancestors(parent)]
      }
      const admissions = collector.spans().filter(({ name }) => name.startsWith('admission /'))
      const whole = admissions.map(ancestors).filter((above) => above.some(({ name }) => name.startsWith('reconcile ')))
      assert.ok(whole.length > 0, `of ${admissions.length} admissions none belongs to a reconcile`)
      for (const [request] of whole) assert.ok(request !== undefined && request.attributes['url.path'] !== undefined)
    })

    test('to a version that does not exist changes nothing, and the error lists the existing ones', async () => {
      await ask('v9.9.9')
      await machine.kubectl(['wait', 'kubevirt/kubevirt', '-n', 'kubevirt', '--for=condition=PreflightFailed', '--timeout=30s'])
      const { code, stdout } = await machine.steadyvm('upgrade', 'status')
      assert.equal(code, 2)
      assert.match(stdout, /ReleaseMissing: .*v0\.1\.0, v0\.2\.0, v0\.3\.0[^]*release build --version v9\.9\.9/)
      assert.deepEqual(await running(), ['v0.2.0'])
    })

    test('to a release that does not start runs it on at most one node, and is rolled back', async () => {
      await breakRelease(machine.home, 'v0.3.0', { program: 'process.exit(1)\n' })
      await ask('v0.3.0')
      await machine.kubectl(['wait', 'kubevirt/kubevirt', '-n', 'kubevirt', '--for=condition=CanaryFailed', '--timeout=90s'])
      await eventually(
        async () => (await running()).join() === 'v0.2.0',
        async () => (await running()).join(),
      )
      const { code, stdout } = await machine.steadyvm('upgrade', 'status')
      assert.equal(code, 2)
      assert.match(stdout, /rolled back +v0\.3\.0/)
      assert.equal(textAt(await machine.getJson('kubevirt', 'kubevirt', '-n', 'kubevirt'), 'status.observedKubeVirtVersion'), 'v0.2.0')
      assert.deepEqual(guests(), [guest])
    })

    longTest('back to the older version', async () => {
      await ask(own)
      await arrives(own)
    })

    // Also proved by test/crash/upgrade.test.ts and src/features/operator/simulation.test.ts.
    longTest('succeeds although the operator is killed at each stage, and once loses its lease to a dead process', async () => {
      await machine.kubectl(['annotate', 'kubevirt', 'kubevirt', '-n', 'kubevirt', 'steadyvm.io/keep-former-version-for=15s'])
      const met = new Set<string>()
      await ask('v0.2.0')
      const status = (): Promise<KubeJson> => machine.getJson('kubevirt', 'kubevirt', '-n', 'kubevirt')
      await eventually(
        async () => {
          const kubevirt = await status()
          const stage = textAt(kubevirt, 'status.steadyvm.upgrade.stage')
          if (stage !== '' && !met.has(stage)) await (stage === 'Controllers' ? takeLease() : killOperator())
          met.add(stage)
          return textAt(kubevirt, 'status.observedKubeVirtVersion') === 'v0.2.0' && met.has('Workloads') && stage === ''
        },
        async () => JSON.stringify((await status())['status']),
        // Who is killed again and again is started later each time.
        480_000,
      )
      for (const stage of ['NodeAgents', 'Controllers', 'API', 'Workloads']) assert.ok(met.has(stage), `${stage} was never seen`)
      assert.deepEqual(await running(), ['v0.2.0'])
      assert.deepEqual(guests(), [guest])
    })

    // Also proved by test/upgrade-matrix/faults.test.ts.
    longTest('back again succeeds although the certificate of virt-api expires without a running operator', async () => {
      const status = (): Promise<KubeJson> => machine.getJson('kubevirt', 'kubevirt', '-n', 'kubevirt')
      const make = (): Promise<CommandResult> =>
        machine.tryKubectl(['apply', '-f', '-', '--dry-run=server'], demoVirtualMachine('new', { runStrategy: 'Halted' }))
      const signal = (name: string, what: NodeJS.Signals): void => {
        for (const { role, pid } of machine.processes()) if (role === name) process.kill(pid, what)
      }
      await ask(own)
      await eventually(
        async () => textAt(await status(), 'status.steadyvm.upgrade.stage') === 'NodeAgents',
        async () => JSON.stringify((await status())['status']),
      )
      signal('virt-operator', 'SIGSTOP')
      const { data } = (await machine.getJson('secret', 'kubevirt-ca', '-n', 'kubevirt')) as { data?: Readonly<Record<string, string>> }
      const [certificate = '', key = ''] = ['tls.crt', 'tls.key'].map((part) => Buffer.from(data?.[part] ?? '', 'base64').toString())
      const names = [{ type: 'dns', value: 'virt-api.kubevirt.svc' }] as const
      const past = { subject: 'CN=virt-api', usage: 'server', names, nowMs: Date.now() - 60_000, lifetimeMs: 30_000 } as const
      const expired = await loadAuthority(certificate, key).issue(past)
      const encode = (text: string): string => Buffer.from(text).toString('base64')
      const body = JSON.stringify({ data: { 'tls.crt': encode(expired.certificate), 'tls.key': encode(expired.key) } })
      await machine.kubectl(['patch', 'secret', 'kubevirt-virt-api-certs', '-n', 'kubevirt', '--type=merge', '-p', body])
      // Who is connected already goes on.
      signal('virt-api', 'SIGKILL')
      let refused = ''
      await eventually(
        async () => {
          refused = (await make()).stderr
          return refused.includes('expired')
        },
        () => refused,
      )
      killOperator()
      await arrives(own)
      assert.equal((await make()).code, 0)
    })
  },
)
