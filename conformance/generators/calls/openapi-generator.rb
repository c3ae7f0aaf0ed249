# Reads, clocks somebody in and out, asks for an absence, pulls events: URL=… KEY=cpk_… ruby openapi-generator.rb FOLDER
$LOAD_PATH.unshift File.join(ARGV.fetch(0), 'lib')
require 'uri'
require 'openapi_client'

OpenapiClient.configure do |config|
  address = URI(ENV.fetch('URL'))
  config.scheme = address.scheme
  config.host = "#{address.host}:#{address.port}"
  config.access_token = ENV.fetch('KEY')
end
clock = OpenapiClient::ClockApi.new
time = OpenapiClient::TimeApi.new
absences = OpenapiClient::AbsencesApi.new

puts OpenapiClient::StatusApi.new.get_status.version
person = OpenapiClient::PeopleApi.new.list_users(limit: 500).data.find do |one|
  one.active && clock.list_clock_states(user_id: one.id).data.any? { |state| state.state == 'out' }
end
stamp = OpenapiClient::ClockRequest.new(user_id: person.id)
puts clock.clock_in(clock_request: stamp).clock_state.state
begin
  clock.clock_in(clock_request: stamp)
  raise 'The second time succeeded.'
rescue OpenapiClient::ApiError => e
  code = JSON.parse(e.response_body)['code']
  raise unless e.code == 409 && code == 'already_clocked_in'

  puts code
end
puts clock.clock_out(clock_request: stamp).clock_state.state

today = Date.today
entry = time.list_time_entries(from: today - 1, to: today + 1, user_id: person.id).data.last
raise 'The entry has no end.' unless time.get_time_entry(entry.id)._end

request = OpenapiClient::AbsenceRequest.new(
  user_id: person.id, type: 'vacation', start_date: today + 400, end_date: today + 402, external_id: 'Straße-1 rb'
)
absence = absences.create_absence(request)
raise 'The identifier is another one.' unless absences.get_absence(absence.id).external_id == 'Straße-1 rb'

absences.delete_absence(absence.id)
event = OpenapiClient::EventsApi.new.list_events(types: ['clock.in'], limit: 500).data.last
puts event.type
