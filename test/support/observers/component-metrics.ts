import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { text as textOf } from 'node:stream/consumers'
import type { TestMachine } from '../machine.ts'

/** A time series of a scrape. */
export interface ScrapedSample {
  readonly metric: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/**
 * Reads metrics of components as Prometheus does: over HTTPS, with the token of a service account.
 */
export interface ComponentScraper extends AsyncDisposable {
  /** Reads the metrics of all pods of a component, by its label `kubevirt.io`. */
  scrape(component: string): Promise<readonly ScrapedSample[]>
  /** Returns the text of all pods of a component. */
  text(component: string): Promise<string>
}

/** Creates a scraper with a service account in the namespace of the test. */
export async function useScraper(machine: Pick<TestMachine, 'kubectl' | 'namespace'>): Promise<ComponentScraper> {
  const { namespace } = machine
  const role = `scraper-of-${namespace}`
  await machine.kubectl(['create', 'serviceaccount', 'scraper'])
  await machine.kubectl(['create', 'clusterrole', role, '--verb=get', '--non-resource-url=/metrics'])
  await machine.kubectl(['create', 'clusterrolebinding', role, `--clusterrole=${role}`, `--serviceaccount=${namespace}:scraper`])
  const token = (await machine.kubectl(['create', 'token', 'scraper'])).trim()

  async function text(component: string): Promise<string> {
    const path = 'jsonpath={.items[*].status.podIP}'
    const addresses = (await machine.kubectl(['get', 'pods', '-n', 'kubevirt', '-l', `kubevirt.io=${component}`, '-o', path])).split(' ')
    assert.notEqual(addresses[0], '', `${component} has no pod`)
    return (await Promise.all(addresses.map((address) => get(`https://${address}:8443/metrics`, token)))).join('\n')
  }

  return {
    text,
    scrape: async (component) => parseMetrics(await text(component)),
    async [Symbol.asyncDispose]() {
      await machine.kubectl(['delete', 'clusterrole,clusterrolebinding', role, '--wait=false'])
    },
  }
}

async function get(url: string, token: string): Promise<string> {
  // As Prometheus does with KubeVirt's ServiceMonitor.
  const asked = request(url, { headers: { authorization: `Bearer ${token}` }, rejectUnauthorized: false, timeout: 20_000 }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  const body = await textOf(answer)
  assert.equal(answer.statusCode, 200, body)
  return body
}

/** Parses Prometheus' text format. */
export function parseMetrics(text: string): ScrapedSample[] {
  return text.split('\n').flatMap((line) => {
    const [, metric, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (metric === undefined || value === undefined) return []
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', text = '']) => [name, text] as const)
    return [{ metric, labels: Object.fromEntries(pairs), value: Number(value) }]
  })
}
