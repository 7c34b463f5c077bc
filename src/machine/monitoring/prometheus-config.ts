import { componentNamespace } from '#api/access/component-users.ts'

/** Parameters of {@link prometheusConfig}. */
export interface PrometheusConfigOptions {
  /** Port of the API server. */
  readonly apiPort: number
  /** Certificate of the authority of the API server. */
  readonly caFile: string
  /** File with the rules. */
  readonly ruleFile: string
  readonly scrapeSeconds: number
}

/** File with the token of the service account, beside the configuration. */
const tokenFile = 'token'
/** File with the addresses of the components, beside the configuration. */
const targetsFile = 'targets.json'
/** Longest time of a scrape: a node agent waits 3 s for a guest that does not answer. */
const mostScrapeSeconds = 10

/**
 * Builds the configuration of Prometheus, which reads JSON, too. It proves who it is by the token
 * of its service account, as with our ServiceMonitor. Pure.
 */
export function prometheusConfig({ apiPort, caFile, ruleFile, scrapeSeconds }: PrometheusConfigOptions): object {
  const interval = `${scrapeSeconds}s`
  const authorization = { credentials_file: tokenFile }
  const server = `127.0.0.1:${apiPort}`
  return {
    global: { scrape_interval: interval, evaluation_interval: interval, scrape_timeout: `${Math.min(scrapeSeconds, mostScrapeSeconds)}s` },
    rule_files: [ruleFile],
    scrape_configs: [
      {
        job_name: 'kubevirt-prometheus-metrics',
        scheme: 'https',
        authorization,
        // The certificates are for the names of the components. They are only on this machine.
        tls_config: { insecure_skip_verify: true },
        // Metrics of guests have a namespace of their own.
        honor_labels: true,
        // The API server writes it: Debian's Prometheus cannot ask for pods.
        file_sd_configs: [{ files: [targetsFile] }],
      },
      {
        job_name: 'apiserver',
        scheme: 'https',
        authorization,
        tls_config: { ca_file: caFile },
        // The state of objects has their namespaces.
        honor_labels: true,
        static_configs: [{ targets: [server], labels: { namespace: componentNamespace } }],
      },
    ],
  }
}
