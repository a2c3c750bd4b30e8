import { useLive } from './live.ts';
import { hrefOf, type Route } from './router.ts';

export function Exchanges(_: { route: Route }) {
  const { exchanges } = useLive();
  return (
    <>
      <h1>Exchanges</h1>
      <table>
        <thead>
          <tr>
            <th scope="col">No.</th>
            <th scope="col">Request</th>
            <th scope="col">Status</th>
            <th scope="col">Verdict</th>
          </tr>
        </thead>
        <tbody>
          {exchanges.map(({ id, request, response, verdict }) => (
            <tr key={id}>
              <td>
                <a href={hrefOf(['exchanges', id])}>{id}</a>
              </td>
              <td>
                {request.method} {request.url}
              </td>
              <td>{response?.status ?? 'none'}</td>
              <td>{verdict?.outcome ?? 'not judged'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
