# Answers requests for sealed IDs, with the parts of Rails that do so.
require 'action_controller'
require 'active_record'
require 'active_support/all'
require 'rack/mock'

require 'pgkid'

ActiveRecord::Base.establish_connection(ENV['DATABASE_URL'])

Order = Class.new(ActiveRecord::Base)

class OrdersController < ActionController::Base
  def show
    order = Order.select("kid_seal(id, 'ord') AS sealed", :item)
                 .find_by!("id = kid64_unseal(?, 'ord', true)", params[:id])
    render json: { id: order.sealed, item: order.item }
  end
end

routes = ActionDispatch::Routing::RouteSet.new
routes.draw do
  sealed = /ord_[0-7][0-9a-hjkmnp-tv-z]{25}/
  resources :orders, only: :show, constraints: { id: sealed }
end

OrdersController.include(routes.url_helpers)
Order.connection.select_values('SELECT encoded FROM texts UNION ALL SELECT encoded FROM wrong').each do |text|
  response = Rack::MockRequest.new(routes).get("/orders/#{text}")
  puts "#{response.status} #{text} #{response.ok? ? [response.headers, JSON.parse(response.body)].to_json : '-'}"
rescue ActiveRecord::RecordNotFound
  # Rails answers with 404.
  puts "404 #{text} -"
end
