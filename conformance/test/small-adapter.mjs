/** The adapter of the small service: fixtures are rows that it takes over HTTP. */
export default ({ service }, { Refused }) => {
  const make = async (kind, settings) => {
    const answer = await fetch(`${service.url}/fixtures/${kind}`, { method: 'POST', body: JSON.stringify(settings) });
    if (!answer.ok) throw new Refused('invalid_request', `${kind}: ${answer.status}`);
    return await answer.json();
  };
  return {
    name: 'small',
    createCompany: async ({ departments }) => ({ id: 1, departments: departments.map((_, index) => index + 1) }),
    createPerson: async (person) => ({
      ...(await make('people', person)),
      name: person.first_name,
      email: person.email,
    }),
    createExtension: async (settings) => {
      const { key } = await make('keys', settings);
      return { id: key, client_id: key, key };
    },
  };
};
