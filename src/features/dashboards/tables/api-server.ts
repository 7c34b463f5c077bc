import type { Dashboard } from '../dashboard.ts'
import { graph, quantile, query, rate, stat } from '../panels.ts'

const idle = 'nothing was asked for in this time'

/** The API server, and the components as its clients. */
export const apiServer: Dashboard = {
  name: 'api-server',
  title: 'steadyvm / API server',
  description: 'Requests to the API server, and the components as its clients: requests, queues, reconciles, webhooks.',
  variables: [],
  rows: [
    {
      title: 'API server',
      panels: [
        stat(
          { title: 'Requests', description: 'Requests that are answered in a second.', unit: 'reqps' },
          query(`sum(${rate('apiserver_request_total')})`, 'requests'),
        ),
        stat(
          {
            title: 'Errors',
            description: 'Share of the answers with a code from 500 on.',
            unit: 'percentunit',
            thresholds: { warning: 0.01, critical: 0.05 },
          },
          query(`(sum(${rate('apiserver_request_total{code=~"5.."}')}) or vector(0)) / sum(${rate('apiserver_request_total')})`, 'errors'),
        ),
        stat(
          { title: 'Memory', description: 'Resident memory of the API server.', unit: 'bytes' },
          query('max(process_resident_memory_bytes{job="apiserver"})', 'memory'),
        ),
        stat(
          { title: 'Processors', description: 'Processors that the API server uses.', unit: 'short' },
          query(`sum(${rate('process_cpu_seconds_total{job="apiserver"}')})`, 'processors'),
        ),
      ],
    },
    {
      title: 'Requests',
      panels: [
        graph(
          { title: 'By verb', description: 'Requests by verb.', unit: 'reqps' },
          query(`sum by (verb) (${rate('apiserver_request_total')})`, '{{verb}}'),
        ),
        graph(
          {
            title: 'By code',
            description: 'Answers by code. 409 are conflicts that clients retry, 429 are refused for load.',
            unit: 'reqps',
          },
          query(`sum by (code) (${rate('apiserver_request_total')})`, '{{code}}'),
        ),
        graph(
          { title: 'Time of a request', description: 'Time of 99% of the requests at most, by verb, without watches.', unit: 's' },
          query(quantile(0.99, 'apiserver_request_duration_seconds', '{verb!~"(?i)watch|connect"}', ['verb']), '{{verb}}'),
        ),
        graph(
          { title: 'Resources that are asked for most', description: 'The ten of them.', unit: 'reqps' },
          query(`topk(10, sum by (group, resource) (${rate('apiserver_request_total')}))`, '{{resource}}.{{group}}'),
        ),
        graph(
          { title: 'Flow control', description: 'Requests by priority level.', unit: 'reqps' },
          query(`sum by (priority_level) (${rate('apiserver_flowcontrol_dispatched_requests_total')})`, '{{priority_level}}'),
        ),
      ],
    },
    {
      title: 'Components as clients',
      panels: [
        graph(
          { title: 'Requests', description: 'Requests of each component.', unit: 'reqps' },
          query(`sum by (pod) (${rate('kubevirt_rest_client_requests_total')})`, '{{pod}}'),
        ),
        graph(
          { title: 'Failed requests', description: 'Answers from 400 on, and requests without an answer.', unit: 'reqps' },
          query(
            `sum by (pod, code) (${rate('kubevirt_rest_client_requests_total{code!~"[123].."}')})`,
            '{{pod}} {{code}}',
            'no request has failed',
          ),
        ),
        graph(
          { title: 'Time of a request', description: 'Time of 99% of the requests at most, as the component sees it.', unit: 's' },
          query(quantile(0.99, 'kubevirt_rest_client_request_latency_seconds', '', ['verb']), '{{verb}}'),
        ),
        graph(
          { title: 'Calls of subresources', description: 'Start, stop, console and others, which virt-api serves.', unit: 'reqps' },
          query(
            `sum by (subresource, code) (${rate('steadyvm_aggregated_requests_total')})`,
            '{{subresource}} {{code}}',
            'no subresource was called',
          ),
        ),
      ],
    },
    {
      title: 'Controllers',
      panels: [
        graph(
          { title: 'Depth of queues', description: 'Objects that wait for their controller. It should go back to 0.', unit: 'short' },
          query('max by (name) (kubevirt_workqueue_depth)', '{{name}}'),
        ),
        graph(
          { title: 'Time in the queue', description: 'Time that 99% of the objects wait at most.', unit: 's' },
          query(quantile(0.99, 'kubevirt_workqueue_queue_duration_seconds', '', ['name']), '{{name}}', idle),
        ),
        graph(
          { title: 'Time of a reconcile', description: 'Time of 99% of the reconciles at most.', unit: 's' },
          query(quantile(0.99, 'controller_runtime_reconcile_time_seconds', '', ['controller']), '{{controller}}', idle),
        ),
        graph(
          { title: 'Failed reconciles', description: 'They are tried again, less and less often.', unit: 'ops' },
          query(`sum by (controller) (${rate('controller_runtime_reconcile_errors_total')})`, '{{controller}}', 'none has failed'),
        ),
        graph(
          { title: 'Stuck workers', description: 'Age of the oldest reconcile that is under way.', unit: 's' },
          query('max by (name) (kubevirt_workqueue_longest_running_processor_seconds)', '{{name}}'),
        ),
        graph(
          { title: 'Webhooks', description: 'Time of 99% of the reviews at most.', unit: 's' },
          query(quantile(0.99, 'controller_runtime_webhook_latency_seconds', '', ['webhook']), '{{webhook}}', 'nothing was reviewed'),
        ),
      ],
    },
  ],
}
